package kits19

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// The index that the reference's preprocessing writes, and the same content as JSON.
const (
	indexPickle = "preprocessed_files.pkl"
	indexJSON   = "preprocessed_files.json"
)

// caseIndex lists the preprocessed cases.
type caseIndex struct {
	path  string
	Names []string            `json:"file_list"`
	Cases map[string]caseInfo `json:"cases"`
}

// caseInfo contains the properties of a case that are read from the index.
type caseInfo struct {
	Shape []int `json:"image_shape"` // 1, depth, height, width
}

// maxIndexBytes limits the size of an index; that of all cases has 20 kB.
const maxIndexBytes = 16 << 20

// readIndex reads the index of a folder. It returns nil without an error if there is no index.
func readIndex(root string) (*caseIndex, error) {
	for _, name := range []string{indexPickle, indexJSON} {
		path := filepath.Join(root, name)
		data, err := bounded.ReadFile(path, maxIndexBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		x, err := parseIndex(name, data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		x.path = path
		return x, nil
	}
	return nil, nil
}

func parseIndex(name string, data []byte) (*caseIndex, error) {
	x := &caseIndex{Cases: map[string]caseInfo{}}
	if name == indexJSON {
		if err := json.Unmarshal(data, x); err != nil {
			return nil, fmt.Errorf("want file_list and cases with their image_shape: %w", err)
		}
		return x, nil
	}
	object, err := pickle.NumPy().Load(data)
	if err != nil {
		return nil, err
	}
	root, _ := object.(pickle.Dict)
	names, ok := root["file_list"].(*pickle.List)
	cases, also := root["cases"].(pickle.Dict)
	if !ok || !also {
		return nil, fmt.Errorf("file_list is a %T and cases a %T, want a list and a dict", root["file_list"], root["cases"])
	}
	for _, item := range names.Items {
		name, _ := item.(string)
		x.Names = append(x.Names, name)
	}
	for name, item := range cases {
		x.Cases[name] = caseInfo{pickledShape(item)}
	}
	return x, nil
}

// pickledShape returns the image_shape of a case in the pickled index, or nil.
func pickledShape(item any) (shape []int) {
	fields, _ := item.(pickle.Dict)
	sizes, _ := fields["image_shape"].(pickle.Tuple)
	for _, size := range sizes {
		n, ok := size.(int64)
		if !ok {
			return nil
		}
		shape = append(shape, int(n))
	}
	return shape
}

// maxSideVoxels is the largest side of a volume in a NIfTI file.
const maxSideVoxels = math.MaxInt16

// findPreprocessed returns the cases of the index. It does not check their files.
func findPreprocessed(root string, x *caseIndex, o CaseOptions) (*CaseSet, error) {
	s := &CaseSet{preprocessed: true}
	var faults fault.FaultList
	for _, name := range o.chooseCases(x.Names) {
		entry, ok := x.Cases[name]
		shape := entry.Shape
		if !ok || !slices.Contains(x.Names, name) || len(shape) != 4 || shape[0] != 1 || slices.Min(shape) < 1 ||
			slices.Max(shape) > maxSideVoxels || !filepath.IsLocal(name) {
			faults.Addf(name, "image_shape %v in the index, want 1, depth, height, width of a case in file_list", shape)
			continue
		}
		folder := filepath.Join(root, "nifti", name)
		c := caseFiles{name: name, image: filepath.Join(folder, "imaging.nii.gz"),
			labels: filepath.Join(folder, "segmentation.nii.gz"), shape: [3]int(shape[1:])}
		if path := filepath.Join(root, name+".pkl"); !o.LabelsOnly && fault.PathExists(path) {
			c.pickle = path
		}
		s.cases = append(s.cases, c)
	}
	if len(x.Names) == 0 {
		faults.Addf("", "it lists no case, want file_list and cases")
	}
	return s, faults.Err(ErrDataset, x.path)
}

// readPickle reads the image of a preprocessed case: the first item of [image, labels], float32 of shape 1, depth,
// height, width.
func readPickle(path string, want [3]int) (*CaseVolume, error) {
	data, err := bounded.ReadFile(path, pickle.MaxBytes)
	if err != nil {
		return nil, err
	}
	object, err := pickle.NumPy().Load(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	image := firstArray(object)
	if image == nil {
		return nil, fmt.Errorf("%s: a %T, want a list of the image's and the labels' arrays", path, object)
	}
	size := want[0] * want[1] * want[2]
	if image.DType != "<f4" || image.Fortran || !slices.Equal(image.Shape, append([]int{1}, want[:]...)) ||
		len(image.Data) != 4*size {
		return nil, fmt.Errorf("%s: image of %s, shape %v, %d bytes, want <f4, shape [1 %d %d %d], %d bytes in C order",
			path, image.DType, image.Shape, len(image.Data), want[0], want[1], want[2], 4*size)
	}
	v := &CaseVolume{Shape: want, Values: make([]float32, size)}
	_, err = binary.Decode(image.Data, binary.LittleEndian, v.Values)
	return v, err
}

func firstArray(object any) *pickle.NumpyArray {
	if list, ok := object.(*pickle.List); ok && len(list.Items) > 0 {
		if a, ok := list.Items[0].(*pickle.NumpyArray); ok {
			return a
		}
	}
	return nil
}
