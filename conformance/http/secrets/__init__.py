"""What no file may hold: tokens and personal values, the forms they take, and what stands in their place."""
