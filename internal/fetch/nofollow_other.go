//go:build !unix

package fetch

const noFollow = 0
