package fetch

import "errors"

// The kinds of failure, for errors.Is.
var (
	ErrBadFile  = errors.New("fetch: the file's entry is wrong")         // an invalid File
	ErrMissing  = errors.New("fetch: not in the cache")                  // Locate found no file
	ErrOffline  = errors.New("fetch: offline")                           // a download is required but not allowed
	ErrServer   = errors.New("fetch: the server did not give the file")  // connection failed, refused or cut
	ErrChecksum = errors.New("fetch: the contents are not the expected") // sha256 or size differ
	ErrArchive  = errors.New("fetch: the archive cannot be unpacked")    // damaged, or an unknown format
	// paths or links that leave the folder, devices, too large
	ErrUnsafe = errors.New("fetch: the archive is not safe to unpack")
)
