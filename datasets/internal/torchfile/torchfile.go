// Package torchfile reads tensors written by torch.save, a zip file with a pickle that describes the tensor and with
// its elements.
//
// In scope: one whole tensor of a known element type, in C order, little endian. The pickle is not executed; the reader
// accepts only the few names that describe a tensor. Out of scope: other output of torch.save.
package torchfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ElementType is the name of an element type in the pickle.
type ElementType string

// The supported element types.
const (
	Long  ElementType = "torch.LongStorage"  // int64
	Float ElementType = "torch.FloatStorage" // float32
)

// size returns the size of an element in bytes.
func (s ElementType) size() int64 {
	if s == Float {
		return 4
	}
	return 8
}

// FileTensor is the tensor in a file.
type FileTensor struct {
	Shape []int64
	Data  []byte // the elements, little endian
}

// maxPickleBytes limits the size of a tensor's description; typical ones have 150 bytes.
const maxPickleBytes = 1 << 16

// ReadTensor reads a tensor of the given element type. More than maxElements elements are an error.
func ReadTensor(path string, s ElementType, maxElements int64) (t *FileTensor, err error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("it is not a file of torch.save: %w", err)
	}
	described, err := readMember(z, "data.pkl", maxPickleBytes)
	if err != nil {
		return nil, err
	}
	shape, key, err := readDescription(described, s)
	if err != nil {
		return nil, fmt.Errorf("data.pkl: %w", err)
	}
	if order, err := readMember(z, "byteorder", 16); err == nil && string(order) != "little" {
		return nil, fmt.Errorf("byte order %q, want little", order)
	}
	data, err := readMember(z, "data/"+key, s.size()*maxElements)
	if err != nil {
		return nil, err
	}
	if n := elementCount(shape); n < 0 || int64(len(data)) != s.size()*n {
		return nil, fmt.Errorf("%d bytes for %d numbers of %d bytes", len(data), n, s.size())
	}
	return &FileTensor{Shape: shape, Data: data}, nil
}

// readMember reads the member NAME/path of a zip file, for any NAME.
func readMember(z *zip.Reader, path string, maxBytes int64) ([]byte, error) {
	for _, f := range z.File {
		if _, below, ok := strings.Cut(f.Name, "/"); !ok || below != path {
			continue
		}
		if f.UncompressedSize64 > uint64(maxBytes) {
			return nil, fmt.Errorf("%s has %d bytes, want at most %d", f.Name, f.UncompressedSize64, maxBytes)
		}
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(r, maxBytes))
		return data, errors.Join(err, r.Close())
	}
	return nil, fmt.Errorf("it holds no %s", path)
}

// tensorInfo is the description of a tensor in a pickle; storageInfo describes the storage of its elements.
type (
	tensorInfo struct {
		storage        storageInfo
		offset         int64
		shape, strides []int64
	}
	storageInfo struct {
		kind pickle.NamedGlobal
		key  string
		n    int64
	}
)

// tensorPickleReader reads the pickles of tensors, which contain only these names.
var tensorPickleReader = pickle.ObjectReader{
	Names: map[string]func(pickle.Tuple) (any, error){
		"torch._utils._rebuild_tensor_v2": rebuildTensor,
		string(Long):                      nil,
		string(Float):                     nil,
		"collections.OrderedDict":         pickle.NewOrderedDict,
	},
	LoadPersistent: parseStorage,
}

// parseStorage parses a reference ("storage", type, key, device, number of elements).
func parseStorage(reference any) (any, error) {
	t, ok := reference.(pickle.Tuple)
	if !ok || len(t) != 5 {
		return nil, fmt.Errorf("a reference of type %T to something that is no storage", reference)
	}
	kind, ok := t[1].(pickle.NamedGlobal)
	key, ok2 := t[2].(string)
	n, ok3 := t[4].(int64)
	if !ok || !ok2 || !ok3 {
		return nil, fmt.Errorf("a storage of %T, %T, %T, want a type, a str and an int", t[1], t[2], t[4])
	}
	return storageInfo{kind, key, n}, nil
}

// rebuildTensor returns the description of a tensor from (storage, offset, shape, strides, ...).
func rebuildTensor(arguments pickle.Tuple) (any, error) {
	if len(arguments) < 4 {
		return nil, fmt.Errorf("a tensor of %d arguments, want at least 4", len(arguments))
	}
	of, ok := arguments[0].(storageInfo)
	offset, ok2 := arguments[1].(int64)
	shape, ok3 := tupleInts(arguments[2])
	strides, ok4 := tupleInts(arguments[3])
	if !ok || !ok2 || !ok3 || !ok4 {
		return nil, errors.New("a tensor that has no storage or no shape")
	}
	return tensorInfo{of, offset, shape, strides}, nil
}

// readDescription returns the shape of the tensor that a pickle describes, and the key of its storage.
func readDescription(data []byte, s ElementType) (shape []int64, key string, err error) {
	value, err := tensorPickleReader.Load(data)
	if err != nil {
		return nil, "", err
	}
	t, ok := value.(tensorInfo)
	if !ok {
		return nil, "", errors.New("it describes no tensor")
	}
	if t.storage.kind != pickle.NamedGlobal(s) {
		return nil, "", fmt.Errorf("the tensor's elements are not those of %s", s)
	}
	if t.offset != 0 || t.storage.n != elementCount(t.shape) || !isContiguous(t.shape, t.strides) {
		return nil, "", fmt.Errorf("shape %v, strides %v, from element %d of %d on: want one whole tensor in C order",
			t.shape, t.strides, t.offset, t.storage.n)
	}
	return t.shape, t.storage.key, nil
}

// tupleInts returns the elements of a tuple of integers. ok is false for other values.
func tupleInts(v any) ([]int64, bool) {
	t, ok := v.(pickle.Tuple)
	all := make([]int64, len(t))
	for i := range t {
		n, is := t[i].(int64)
		all[i], ok = n, ok && is
	}
	return all, ok
}

// elementCount returns the number of elements. It is -1 if a size is negative or the number exceeds that of any file.
func elementCount(shape []int64) int64 {
	n := int64(1)
	for _, s := range shape {
		if s < 0 || s > 0 && n > math.MaxInt64/8/s {
			return -1
		}
		n *= s
	}
	return n
}

// isContiguous reports whether strides are those of C order. Axes of size 1 may have any stride.
func isContiguous(shape, strides []int64) bool {
	if len(shape) != len(strides) {
		return false
	}
	want := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 && strides[i] != want {
			return false
		}
		want *= shape[i]
	}
	return true
}
