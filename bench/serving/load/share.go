package load

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is one client's part of a load that several send together: of all places of the schedule and of all users each
// Of-th one, from Index on. The zero value is all of it.
type Share struct {
	Index int // from 0
	Of    int
}

// mostShares bounds how many clients there may be.
const mostShares = 1 << 16

// ParseShare reads I/N, I from 1 to N: the shares are numbered as people count.
func ParseShare(text string) (Share, error) {
	i, n, ok := strings.Cut(text, "/")
	index, err := strconv.Atoi(i)
	of, wrong := strconv.Atoi(n)
	if !ok || err != nil || wrong != nil || of < 1 || of > mostShares || index < 1 || index > of {
		return Share{}, fmt.Errorf("%q: want I/N, as 1/4 to 4/4, of at most %d", text, mostShares)
	}
	return Share{Index: index - 1, Of: of}, nil
}

// String is I/N; of all, "".
func (s Share) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index+1, s.Of)
}

// All says that there is but one share.
func (s Share) All() bool { return s.Of <= 1 }

// Mine says whether a place, from 0, is the share's.
func (s Share) Mine(place int) bool { return s.All() || place%s.Of == s.Index }

// Place is the k-th place of the share, from 0.
func (s Share) Place(k int) int {
	if s.All() {
		return k
	}
	return k*s.Of + s.Index
}

// Count is how many of the first n places are the share's.
func (s Share) Count(n int) int {
	if s.All() {
		return n
	}
	return (n - s.Index + s.Of - 1) / s.Of
}
