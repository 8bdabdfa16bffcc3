// Package shard lets several machines act as one client. Each sends a share of one schedule, and their records are
// merged.
//
// In scope: assigning requests and users to shares, checking that shares match, merging records. Out of scope: starting
// the shares (launchers do), sending (package engine), figures (package metrics).
package shard

import (
	"fmt"
	"strconv"
	"strings"
)

// Share is share Index, counted from 0, of Of shares. The zero value means that one client sends everything.
type Share struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// maxShares is the maximum number of shares.
const maxShares = 10_000

// Parse reads I/N. I counts from 0, like launchers number their processes.
func Parse(text string) (Share, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	switch {
	case !ok || err1 != nil || err2 != nil || n < 1 || n > maxShares:
		return Share{}, fmt.Errorf("%q is no share: want I/N, as 0/4 of 0/4 to 3/4, of at most %d", text, maxShares)
	case i < 0 || i >= n:
		return Share{}, fmt.Errorf("share %d of %d: want one from 0 to %d", i, n, n-1)
	}
	return Share{i, n}, nil
}

// String returns I/N, or an empty string if there are no shares.
func (s Share) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has reports whether this share sends the request, user or session with number k of the schedule. Numbers are assigned
// to the shares in turn. Without shares, it returns true.
func (s Share) Has(k int) bool { return s.Of <= 1 || k%s.Of == s.Index }

// Count returns how many of the first n numbers belong to the share.
func (s Share) Count(n int) int {
	if s.Of <= 1 {
		return n
	}
	return (n + s.Of - 1 - s.Index) / s.Of
}

// NumberAt returns the k-th number, from 0, that belongs to the share.
func (s Share) NumberAt(k int) int {
	if s.Of <= 1 {
		return k
	}
	return k*s.Of + s.Index
}
