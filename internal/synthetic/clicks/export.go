package clicks

import (
	"archive/zip"
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/npy"
)

// exportPairs is the number of pairs that are drawn at a time.
const exportPairs = 1 << 12

// The arrays of the official layout: the numbers, the labels, then one array per table.
const (
	denseArray = iota
	labelsArray
	tableArrays
	arrays = tableArrays + Tables
)

// Export writes pairs [start, end) of a set to the folder dir, which must exist, as the official sample variant of the
// data set: day_23_dense_sample.npy, day_23_sparse_multi_hot_sample.npz and day_23_labels_sample.npy (int32). It first
// writes the tables to temporary files in dir and removes these afterwards.
func Export(dir string, s *Set, start, end int) (err error) {
	if start < 0 || end < start || end > s.Len() {
		return fmt.Errorf("synthetic clicks: pairs %d to %d, want pairs within 0 to %d", start, end, s.Len())
	}
	var paths [arrays]string
	paths[denseArray] = filepath.Join(dir, "day_23_dense_sample.npy")
	paths[labelsArray] = filepath.Join(dir, "day_23_labels_sample.npy")
	for k := range Tables {
		path := filepath.Join(dir, memberName(k))
		paths[tableArrays+k] = path
		defer func() { err = errors.Join(err, os.Remove(path)) }()
	}
	if err := s.writeArrays(paths[:], start, end); err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "day_23_sparse_multi_hot_sample.npz"), func(w io.Writer) error {
		return writeArchive(w, paths[tableArrays:])
	})
}

func memberName(table int) string { return fmt.Sprintf("%d.npy", table) }

// writeArrays draws the pairs once and writes each array to its file.
func (s *Set) writeArrays(paths []string, start, end int) (err error) {
	files := make([]*bufio.Writer, len(paths))
	for i, path := range paths {
		f, openErr := os.Create(path)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		files[i] = bufio.NewWriterSize(f, 1<<18)
	}
	if err := s.writeAll(files, start, end); err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) writeAll(files []*bufio.Writer, start, end int) error {
	if err := writeHeaders(files, end-start); err != nil {
		return err
	}
	for ; start < end; start += exportPairs {
		b := NewBlock(min(exportPairs, end-start))
		if err := s.Read(b, start); err != nil {
			return err
		}
		for i, f := range files {
			if err := binary.Write(f, binary.LittleEndian, b.arrayValues(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeHeaders(files []*bufio.Writer, pairs int) error {
	for i, f := range files {
		dtype, columns := "<i4", 1
		switch {
		case i == denseArray:
			dtype, columns = "<f4", DenseFeatures
		case i >= tableArrays:
			columns = Hotness()[i-tableArrays]
		}
		if _, err := f.Write(npy.AppendHeader(nil, dtype, pairs, columns)); err != nil {
			return err
		}
	}
	return nil
}

// arrayValues returns a block's contribution to array i.
func (b *Block) arrayValues(i int) any {
	switch i {
	case denseArray:
		return b.Dense
	case labelsArray:
		labels := make([]int32, len(b.Labels))
		for i, v := range b.Labels {
			labels[i] = int32(v)
		}
		return labels
	}
	return b.Sparse[i-tableArrays]
}

// writeArchive writes the files of all tables as uncompressed members of an npz file.
func writeArchive(w io.Writer, paths []string) error {
	z := zip.NewWriter(w)
	for k, path := range paths {
		member, err := z.CreateHeader(&zip.FileHeader{Name: memberName(k), Method: zip.Store})
		if err != nil {
			return err
		}
		if err := appendFile(member, path); err != nil {
			return err
		}
	}
	return z.Close()
}

func appendFile(w io.Writer, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, f)
	return errors.Join(err, f.Close())
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(cmp.Or(write(w), w.Flush()), f.Close())
}
