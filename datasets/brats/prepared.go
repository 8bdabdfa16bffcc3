package brats

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/mapped"
	"github.com/plumbline-ml/plumbline/datasets/internal/pickle"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// indexPickle is the list of cases that the reference's preprocessing writes, in the order of processing.
const indexPickle = "preprocessed_files.pkl"

// maxIndexBytes limits the size of indexPickle; that of all cases has 2 kB.
const maxIndexBytes = 1 << 20

// findPreprocessed returns the cases of the index in its order, or those of the fold if o names one.
func findPreprocessed(root string, o CaseOptions) (*CaseSet, error) {
	path := filepath.Join(root, indexPickle)
	names, err := readIndex(path)
	if err == nil && o.Fold != "" {
		names, err = readFold(o.Fold)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDataset, err)
	}
	s := &CaseSet{layout: preprocessed, padded: o.Padded}
	labels := labelsFolder(root)
	var faults fault.FaultList
	seen := map[string]bool{}
	for _, name := range o.firstNames(names) {
		if !isCaseName(name) || seen[name] {
			faults.Addf(name, "a case of the list, want HGG__CASE or LGG__CASE, each once")
			continue
		}
		seen[name] = true
		s.cases = append(s.cases, caseFiles{name: name, pickle: filepath.Join(root, name+".pkl"),
			labels: labelsPath(o.Labels, labels, name)})
	}
	if len(names) == 0 {
		faults.Addf("", "it lists no case")
	}
	return s, faults.Err(ErrDataset, path)
}

// labelsFolder returns the first existing folder of labels, searching near the preprocessed cases and then in the
// reference's folders.
func labelsFolder(root string) string {
	folders := []string{
		filepath.Join(root, "labelsTr"), filepath.Join(root, "..", "labelsTr"),
		filepath.Join(root, filepath.FromSlash(renamedFolder), "labelsTr"),
		filepath.Join(root, "..", filepath.FromSlash(renamedFolder), "labelsTr"),
	}
	return folders[max(0, slices.IndexFunc(folders, fault.PathExists))]
}

func readIndex(path string) ([]string, error) {
	data, err := bounded.ReadFile(path, maxIndexBytes)
	if err != nil {
		return nil, err
	}
	object, err := pickle.NumPy().Load(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	list, ok := object.(*pickle.List)
	if !ok {
		return nil, fmt.Errorf("%s: a %T, want a list of names", path, object)
	}
	names, err := pickle.AsStrings(list)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return names, nil
}

// withPickle opens the case's pickle, [image, dict], and calls use. use must not keep references to the array. The file
// is memory-mapped, so parts of an image that use does not touch are not read.
func (c *caseFiles) withPickle(use func(image *pickle.NumpyArray, facts pickle.Dict) error) error {
	info, err := os.Stat(c.pickle)
	if err != nil {
		return err
	}
	if info.Size() > pickle.MaxBytes {
		return fmt.Errorf("%s: %d bytes, want at most %d", c.pickle, info.Size(), int64(pickle.MaxBytes))
	}
	file, err := mapped.Open(c.pickle)
	if err != nil {
		return err
	}
	var fault error
	lost := mapped.CatchFaults(func() {
		object, err := pickle.NumPy().Load(file.Bytes())
		if err != nil {
			fault = err
			return
		}
		parts, _ := object.(*pickle.List)
		if parts == nil || len(parts.Items) != 2 {
			fault = fmt.Errorf("a %T, want a list of the image and a dict: preprocessed for another model?", object)
			return
		}
		image, ok := parts.Items[0].(*pickle.NumpyArray)
		facts, also := parts.Items[1].(pickle.Dict)
		if !ok || !also {
			fault = fmt.Errorf("a list of %T and %T, want the image's array and a dict: preprocessed for another model?",
				parts.Items[0], parts.Items[1])
			return
		}
		fault = use(image, facts)
	})
	if err := errors.Join(lost, fault); err != nil {
		err = fmt.Errorf("%s: %w", c.pickle, err)
		return errors.Join(err, file.Close())
	}
	return file.Close()
}

// readPlacement reads the head's position and checks that the image has the shape o.Padded.
func (c *caseFiles) readPlacement(o CaseOptions) error {
	return c.withPickle(func(image *pickle.NumpyArray, facts pickle.Dict) (err error) {
		if c.placement, err = parsePlacement(facts); err != nil {
			return err
		}
		if o.Padded == ([3]int{}) {
			return nil
		}
		for k, n := range o.Padded {
			if c.placement.Size[k] > n {
				return fmt.Errorf("size_after_cropping %v, want at most %v, the model's input", c.placement.Size, o.Padded)
			}
		}
		if o.LabelsOnly { // the scorer does not need images
			return nil
		}
		return checkImage(image, o.Padded)
	})
}

// parsePlacement reads the fields that give a head's position.
func parsePlacement(facts pickle.Dict) (p HeadPlacement, err error) {
	for _, field := range []struct {
		key  string
		into func(n []int64)
		n    int
	}{
		{"original_size_of_raw_data", func(n []int64) { p.Raw = toTriple(n) }, 3},
		{"size_after_cropping", func(n []int64) { p.Size = toTriple(n) }, 3},
		{"crop_bbox", func(n []int64) { p.Low = [3]int{int(n[0]), int(n[2]), int(n[4])} }, 6},
	} {
		n, err := pickle.AsInts(facts[field.key])
		if err != nil || len(n) != field.n || slices.Min(n) < 0 || slices.Max(n) > math.MaxInt16 {
			return p, fmt.Errorf("%s is a %T of %v, want %d whole numbers: preprocessed for another model?", field.key,
				facts[field.key], n, field.n)
		}
		field.into(n)
	}
	for k := range p.Raw {
		if p.Size[k] < 1 || p.Low[k]+p.Size[k] > p.Raw[k] {
			return p, fmt.Errorf("a head of %v voxels from %v on in a volume of %v, want it within", p.Size, p.Low, p.Raw)
		}
	}
	return p, nil
}

func toTriple(n []int64) [3]int { return [3]int{int(n[0]), int(n[1]), int(n[2])} }

// checkImage requires an array of float32 with one volume per channel.
func checkImage(image *pickle.NumpyArray, padded [3]int) error {
	want := append([]int{Channels}, padded[:]...)
	if size := 4 * Channels * padded[0] * padded[1] * padded[2]; image.DType != "<f4" || image.Fortran ||
		!slices.Equal(image.Shape, want) || len(image.Data) != size {
		return fmt.Errorf("image of %s, shape %v, %d bytes, want <f4, shape %v, %d bytes in C order: preprocessed for "+
			"another model?", image.DType, image.Shape, len(image.Data), want, size)
	}
	return nil
}

func (c *caseFiles) readImage(padded [3]int) (values []float32, err error) {
	err = c.withPickle(func(image *pickle.NumpyArray, _ pickle.Dict) error {
		if err := checkImage(image, padded); err != nil {
			return err
		}
		values = make([]float32, len(image.Data)/4)
		_, err := binary.Decode(image.Data, binary.LittleEndian, values)
		return err
	})
	return values, err
}
