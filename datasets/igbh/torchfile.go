package igbh

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// mostIDs bounds what is read of a file of paper numbers: all papers of the full data set are fewer.
const mostIDs = 1 << 29

// mostPickle bounds the description of a tensor, which has some 150 bytes.
const mostPickle = 1 << 16

// readTorch reads a list of paper numbers as torch.save writes a tensor: a zip of a pickle that describes it and its
// elements. Nothing of the pickle is executed. It has to describe one whole int64 list, and each number has to be
// below papers.
func readTorch(path string, papers int) (ids []uint32, err error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("it is no file of torch.save: %w", err)
	}
	defer func() { err = errors.Join(err, z.Close()) }()
	pickle, err := member(&z.Reader, "data.pkl", mostPickle)
	if err != nil {
		return nil, err
	}
	n, storage, err := describedList(pickle)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	if order, err := member(&z.Reader, "byteorder", 16); err == nil && string(order) != "little" {
		return nil, fmt.Errorf("byte order %q, want little", order)
	}
	data, err := member(&z.Reader, "data/"+storage, 8*mostIDs)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) != 8*n {
		return nil, fmt.Errorf("%d bytes for %d numbers of 8 bytes", len(data), n)
	}
	return paperNumbers(data, papers)
}

// member reads NAME/path of a zip, whatever NAME is.
func member(z *zip.Reader, path string, most int64) ([]byte, error) {
	for _, f := range z.File {
		if _, below, ok := strings.Cut(f.Name, "/"); !ok || below != path {
			continue
		}
		if f.UncompressedSize64 > uint64(most) {
			return nil, fmt.Errorf("%s has %d bytes, want at most %d", f.Name, f.UncompressedSize64, most)
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(r)
		return data, errors.Join(err, r.Close())
	}
	return nil, fmt.Errorf("it holds no %s", path)
}

// paperNumbers are the little-endian int64 elements of data, each below papers.
func paperNumbers(data []byte, papers int) ([]uint32, error) {
	ids := make([]uint32, len(data)/8)
	for i := range ids {
		id := binary.LittleEndian.Uint64(data[8*i:])
		if id >= uint64(papers) || id > math.MaxUint32 {
			return nil, fmt.Errorf("number %d is paper %d, want one of 0 to %d", i, int64(id), papers-1)
		}
		ids[i] = uint32(id)
	}
	return ids, nil
}

// describedList is the length of the int64 list that a pickle of torch.save describes, and the name of its storage.
func describedList(pickle []byte) (n int64, storage string, err error) {
	value, err := unpickle(pickle)
	if err != nil {
		return 0, "", err
	}
	rebuild, ok := value.(called)
	if !ok || rebuild.function != "torch._utils._rebuild_tensor_v2" || len(rebuild.args) < 4 {
		return 0, "", errors.New("it describes no tensor")
	}
	of, ok := rebuild.args[0].(kept)
	if !ok || len(of) != 5 || of[1] != global("torch.LongStorage") {
		return 0, "", errors.New("the tensor's elements are not int64")
	}
	storage, ok = of[2].(string)
	shape, ok2 := numbers(rebuild.args[2])
	strides, ok3 := numbers(rebuild.args[3])
	where, ok4 := numbers(tuple{rebuild.args[1], of[4]})
	if !ok || !ok2 || !ok3 || !ok4 {
		return 0, "", errors.New("the tensor has no shape")
	}
	if len(shape) != 1 || len(strides) != 1 || strides[0] != 1 || where[0] != 0 || where[1] != shape[0] || shape[0] < 0 {
		return 0, "", fmt.Errorf("shape %v, strides %v, from element %d of %d on: want one whole list", shape, strides,
			where[0], where[1])
	}
	return shape[0], storage, nil
}

// numbers are the elements of a tuple, if all are integers.
func numbers(v any) ([]int64, bool) {
	t, ok := v.(tuple)
	all := make([]int64, len(t))
	for i := range t {
		n, is := t[i].(int64)
		all[i], ok = n, ok && is
	}
	return all, ok
}
