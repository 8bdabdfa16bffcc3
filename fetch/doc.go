package fetch
