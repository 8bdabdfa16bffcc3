package kits19

import (
	"slices"
	"testing"
)

// FuzzIndex checks that no index crashes the reader, in either form, and that the cases that pass have a shape.
func FuzzIndex(f *testing.F) {
	f.Add([]byte(twoCases), false)
	f.Add([]byte("}(X\x09\x00\x00\x00file_list](X\x01\x00\x00\x00aeX\x05\x00\x00\x00cases}X\x01\x00\x00\x00a}"+
		"X\x0b\x00\x00\x00image_shape(K\x01K\x02K\x03K\x04tssu."), true)
	f.Fuzz(func(t *testing.T, data []byte, pickled bool) {
		name := indexJSON
		if pickled {
			name = indexPickle
		}
		x, err := parseIndex(name, data)
		if err != nil {
			return
		}
		s, err := findPreprocessed("nowhere", x, CaseOptions{})
		if err != nil {
			return
		}
		for _, c := range s.cases {
			if slices.Min(c.shape[:]) < 1 || slices.Max(c.shape[:]) > maxSideVoxels {
				t.Errorf("shape %v passed", c.shape)
			}
		}
	})
}
