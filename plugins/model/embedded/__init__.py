"""What the scripts that train and convert embedded models share: see ../README.md."""
