"""The machinery of faultlab's own site. Using faultlab needs none of it."""
