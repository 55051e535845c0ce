"""Pure functions: which requirements the recorded exchanges violate."""
