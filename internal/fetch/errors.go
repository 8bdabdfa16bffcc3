package fetch

import "errors"

// The kinds of failure, found by errors.Is.
var (
	ErrBadFile  = errors.New("fetch: the file's entry is wrong")         // a File that makes no sense
	ErrMissing  = errors.New("fetch: not in the cache")                  // Locate found nothing
	ErrOffline  = errors.New("fetch: offline")                           // a download is needed but not allowed
	ErrServer   = errors.New("fetch: the server did not give the file")  // no connection, a refusal, a cut
	ErrChecksum = errors.New("fetch: the contents are not the expected") // sha256 or size differ
	ErrArchive  = errors.New("fetch: the archive cannot be unpacked")    // damaged, or of no known format
	// a path outside, a link outside, a device, too large
	ErrUnsafe = errors.New("fetch: the archive is not safe to unpack")
)
