package synthetic
