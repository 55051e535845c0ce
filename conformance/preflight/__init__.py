"""What a run looks at before it begins, and `doctor` by itself."""
