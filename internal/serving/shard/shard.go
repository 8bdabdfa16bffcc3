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

// Share is share number Index, from 0, of Of shares. With the zero value one client sends everything.
type Share struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// most bounds how many shares there are.
const most = 10_000

// Parse reads I/N, with I from 0 on, as launchers number what they start.
func Parse(text string) (Share, error) {
	first, second, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	switch {
	case !ok || err1 != nil || err2 != nil || n < 1 || n > most:
		return Share{}, fmt.Errorf("%q is no share: want I/N, as 0/4 of 0/4 to 3/4, of at most %d", text, most)
	case i < 0 || i >= n:
		return Share{}, fmt.Errorf("share %d of %d: want one from 0 to %d", i, n, n-1)
	}
	return Share{i, n}, nil
}

// String is I/N; of no share it is empty.
func (s Share) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Has says whether the request of a number in the schedule, or the user, or the session, is of the share: they are
// dealt out in turn. All are of no share.
func (s Share) Has(k int) bool { return s.Of <= 1 || k%s.Of == s.Index }

// Count is how many of n are of the share.
func (s Share) Count(n int) int {
	if s.Of <= 1 {
		return n
	}
	return (n + s.Of - 1 - s.Index) / s.Of
}

// Place is the k-th number, from 0, of those that Has has.
func (s Share) Place(k int) int {
	if s.Of <= 1 {
		return k
	}
	return k*s.Of + s.Index
}
