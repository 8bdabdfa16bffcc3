package image

import "errors"

// The kinds of failure, found by errors.Is.
var (
	ErrEmpty       = errors.New("image: no data")                     // a file of no bytes
	ErrFormat      = errors.New("image: not a JPEG, PNG or BMP")      // other contents
	ErrUnsupported = errors.New("image: unsupported kind of picture") // a variant of a known format that is not decoded
	ErrDamaged     = errors.New("image: damaged or truncated")
	ErrTooLarge    = errors.New("image: picture above the pixel limit")
	ErrBadPicture  = errors.New("image: inconsistent picture") // an RGB whose fields contradict each other
	ErrBadRecipe   = errors.New("image: unusable recipe")
	ErrBuffer      = errors.New("image: output buffer of the wrong length")
)
