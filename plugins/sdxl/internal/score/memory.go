package score

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
)

// FeatureMemory keeps the features of scored pictures in a file, so that an interrupted scoring can resume. The file
// contains a key, derived from everything that the features depend on, and a record with a checksum for each sample.
// Incomplete data after the last record is truncated, and a file with another key is discarded.
//
// A record contains, in little endian: the sample, uint64; the numbers of features of the picture, of the caption and
// of inception, uint32; the features, float32; and the CRC-32 of all of these, uint32.
type FeatureMemory struct {
	file     *os.File
	features map[uint64]sampleFeatures
}

// sampleFeatures contains the outputs of the networks for a sample.
type sampleFeatures struct{ picture, caption, inception []float32 }

// FeatureKey is a hash of everything that the features of a file depend on.
type FeatureKey [sha256.Size]byte

// memoryHeader is the beginning of a file, before its key.
const memoryHeader = "plumbline features of pictures 1\n"

// maxFeatures limits the number of features of one kind in a record.
const maxFeatures = 1 << 20

// OpenMemory opens or creates a file of features. It replaces anything else at path, such as a link or a pipe.
func OpenMemory(path string, key FeatureKey) (*FeatureMemory, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	m := &FeatureMemory{file: f, features: map[uint64]sampleFeatures{}}
	end, err := m.readRecords(key)
	if err == nil {
		err = f.Truncate(end)
	}
	if err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err == nil && end == 0 {
		_, err = f.Write(append([]byte(memoryHeader), key[:]...))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return m, nil
}

// openRegular opens or creates a regular file at path. It never follows a link, because writing to the link's target
// would be unsafe.
func openRegular(path string) (*os.File, error) {
	before, err := os.Lstat(path)
	if err == nil && before.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		if now, err := f.Stat(); err != nil || !os.SameFile(before, now) {
			return nil, errors.Join(fmt.Errorf("%s was replaced while it was opened", path), err, f.Close())
		}
		return f, nil
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

// Len returns the number of samples with features.
func (m *FeatureMemory) Len() int { return len(m.features) }

// readRecords reads all records and returns the end of the last complete one, or 0 for a file with another key.
func (m *FeatureMemory) readRecords(key FeatureKey) (end int64, err error) {
	data, err := io.ReadAll(m.file)
	if err != nil {
		return 0, err
	}
	rest, ok := bytes.CutPrefix(data, append([]byte(memoryHeader), key[:]...))
	if !ok {
		return 0, nil
	}
	for {
		n := m.readRecord(rest)
		if n == 0 {
			return int64(len(data) - len(rest)), nil
		}
		rest = rest[n:]
	}
}

// recordHeaderBytes is the size of a record before its features.
const recordHeaderBytes = 8 + 3*4

// readRecord reads the record at the start of data and returns its length, or 0 if it is incomplete.
func (m *FeatureMemory) readRecord(data []byte) int {
	if len(data) < recordHeaderBytes {
		return 0
	}
	var counts [3]int
	end := recordHeaderBytes
	for i := range counts {
		n := binary.LittleEndian.Uint32(data[8+4*i:])
		if n > maxFeatures {
			return 0
		}
		counts[i] = int(n)
		end += 4 * counts[i]
	}
	if len(data) < end+4 || binary.LittleEndian.Uint32(data[end:]) != crc32.ChecksumIEEE(data[:end]) {
		return 0
	}
	var f sampleFeatures
	at := data[recordHeaderBytes:]
	for i, to := range []*[]float32{&f.picture, &f.caption, &f.inception} {
		*to = make([]float32, counts[i])
		for k := range *to {
			(*to)[k] = math.Float32frombits(binary.LittleEndian.Uint32(at[4*k:]))
		}
		at = at[4*counts[i]:]
	}
	m.features[binary.LittleEndian.Uint64(data)] = f
	return end + 4
}

// addRecord appends the features of a sample.
func (m *FeatureMemory) addRecord(sample uint64, f sampleFeatures) error {
	b := binary.LittleEndian.AppendUint64(nil, sample)
	all := [][]float32{f.picture, f.caption, f.inception}
	for _, v := range all {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
	}
	for _, values := range all {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	if _, err := m.file.Write(binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))); err != nil {
		return fmt.Errorf("keep the features of sample %d: %w", sample, err)
	}
	return nil
}

// Close closes the file. It removes the file if done is set, which means that the log is completely scored.
func (m *FeatureMemory) Close(done bool) error {
	err := m.file.Close()
	if done {
		if gone := os.Remove(m.file.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}
