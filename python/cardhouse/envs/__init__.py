"""Environments with the interface of Gymnasium."""
