package image

import "errors"

// Kinds of errors; errors.Is finds them.
var (
	ErrEmpty       = errors.New("image: no data")                     // an empty file
	ErrFormat      = errors.New("image: not a JPEG, PNG or BMP")      // other content
	ErrUnsupported = errors.New("image: unsupported kind of picture") // a variant of a known format that is not supported
	ErrDamaged     = errors.New("image: damaged or truncated")
	ErrTooLarge    = errors.New("image: picture above the pixel limit")
	ErrBadPicture  = errors.New("image: inconsistent picture") // an RGB with contradictory fields
	ErrBadRecipe   = errors.New("image: unusable recipe")
	ErrBuffer      = errors.New("image: output buffer of the wrong length")
)
