"""Deterministic simulation testing: find the bug before users do."""
