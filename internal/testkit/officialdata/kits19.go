package officialdata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
)

// kidneys is a volume with a kidney and its tumour, and the part of them that tinymodel's U-Net finds.
type kidneys struct {
	shape        [3]int
	seen, labels []float64 // classes of the voxels
}

// newKidneys puts a kidney and a tumour into a volume, away from its borders. The network misses some rows of both.
func newKidneys(shape [3]int, missed int) kidneys {
	size := shape[0] * shape[1] * shape[2]
	k := kidneys{shape: shape, seen: make([]float64, size), labels: make([]float64, size)}
	const border = 5
	for class := 1; class <= 2; class++ {
		for y := border; y < shape[1]-border; y++ {
			for x := border; x < shape[2]-border; x++ {
				i := ((border+class)*shape[1]+y)*shape[2] + x
				k.labels[i] = float64(class)
				if y >= border+class*missed {
					k.seen[i] = float64(class)
				}
			}
		}
	}
	return k
}

// dice returns the mean of the DICE coefficients of kidney and tumour.
func (k kidneys) dice() float64 {
	var sum float64
	for class := 1.; class <= 2; class++ {
		var both, either float64
		for i := range k.labels {
			both += boolNumber(k.labels[i] == class && k.seen[i] == class)
			either += boolNumber(k.labels[i] == class)/2 + boolNumber(k.seen[i] == class)/2
		}
		sum += (both + 1e-6) / (either + 1e-6)
	}
	return sum / 2
}

func boolNumber(yes bool) float64 {
	if yes {
		return 2
	}
	return 0
}

// grey returns the values of the voxels in an image, by their classes.
func (k kidneys) grey(values [3]float64) []float64 {
	grey := make([]float64, len(k.seen))
	for i, class := range k.seen {
		grey[i] = values[int(class)]
	}
	return grey
}

// KiTS19 writes the first three cases in their published form: data/case_00000/imaging.nii.gz, in Hounsfield units, and
// segmentation.nii.gz. The spacing of the voxels is the benchmark's resampled spacing. It returns the mean DICE of
// tinymodel's U-Net.
func KiTS19(dir string) (dice float64, err error) {
	for i, name := range []string{"case_00000", "case_00003", "case_00005"} {
		k := newKidneys([3]int{20 + i, 40, 30 + 2*i}, 3*i)
		spacing := [3]float32{1.6, 1.2, 1.2}
		hounsfield := [3]float64{-300, 101, 250}
		folder := filepath.Join(dir, "data", name)
		if err := writeVolume(filepath.Join(folder, "imaging.nii.gz"), niftiFloat64, k.grey(hounsfield), k.shape,
			spacing); err != nil {
			return 0, err
		}
		if err := writeVolume(filepath.Join(folder, "segmentation.nii.gz"), niftiUint8, k.labels, k.shape,
			spacing); err != nil {
			return 0, err
		}
		dice += k.dice() / 3
	}
	return dice, nil
}

func writeVolume(path string, datatype int16, volume []float64, shape [3]int, spacing [3]float32) error {
	file, err := nifti(datatype, volume, shape, spacing)
	if err != nil {
		return err
	}
	return write(path, file)
}

// KiTS19Preprocessed writes the output of the reference's preprocessing: preprocessed_files.pkl, case_00000.pkl and
// nifti/case_00000/. It returns the mean DICE of tinymodel's U-Net.
func KiTS19Preprocessed(dir string) (dice float64, err error) {
	shapes := [][3]int{{128, 128, 128}, {128, 192, 128}}
	var names []pickled
	var cases []pickled
	for i, shape := range shapes {
		name, k := fmt.Sprintf("case_%05d", 3*i), newKidneys(shape, 10*(i+1))
		if err := k.writePreprocessed(dir, name); err != nil {
			return 0, err
		}
		names = append(names, pickleText(name))
		affine := make([]byte, 16*8)
		cases = append(cases, pickleText(name), pickleDict(
			pickleText("raw_shape"), pickleTuple(pickleInt(1), pickleInt(shape[0]), pickleInt(shape[1]), pickleInt(shape[2])),
			pickleText("image_shape"), pickleTuple(pickleInt(1), pickleInt(shape[0]), pickleInt(shape[1]), pickleInt(shape[2])),
			pickleText("reshaped_affine"), pickleArray("f8", "<", affine, 4, 4)))
		dice += k.dice() / float64(len(shapes))
	}
	index := pickleDict(pickleText("file_list"), pickleList(names...), pickleText("cases"), pickleDict(cases...))
	return dice, write(filepath.Join(dir, "preprocessed_files.pkl"), pickleFile(index))
}

// KiTS19Listed writes the same for one case without pickles: preprocessed_files.json, and the image as
// nifti/case_00000/imaging.nii.gz. It returns the DICE of tinymodel's U-Net.
func KiTS19Listed(dir string) (dice float64, err error) {
	k, spacing := newKidneys([3]int{128, 128, 128}, 20), [3]float32{1.6, 1.2, 1.2}
	type fields = map[string]any
	folder := filepath.Join(dir, "nifti", "case_00000")
	return k.dice(), errors.Join(
		writeJSON(filepath.Join(dir, "preprocessed_files.json"), fields{
			"file_list": []string{"case_00000"},
			"cases":     fields{"case_00000": fields{"image_shape": append([]int{1}, k.shape[:]...)}},
		}),
		writeVolume(filepath.Join(folder, "imaging.nii.gz"), niftiFloat64, k.grey(prepared()), k.shape, spacing),
		writeVolume(filepath.Join(folder, "segmentation.nii.gz"), niftiUint8, k.labels, k.shape, spacing))
}

// prepared returns the values of the classes after normalisation.
func prepared() [3]float64 { return [3]float64{-2.2, 0.5, 1.5} }

func (k kidneys) writePreprocessed(dir, name string) error {
	var image, labels []byte
	for i, v := range k.grey(prepared()) {
		image = binary.LittleEndian.AppendUint32(image, math.Float32bits(float32(v)))
		labels = append(labels, uint8(k.labels[i]))
	}
	object := pickleList(
		pickleArray("f4", "<", image, 1, k.shape[0], k.shape[1], k.shape[2]),
		pickleArray("u1", "|", labels, 1, k.shape[0], k.shape[1], k.shape[2]))
	if err := write(filepath.Join(dir, name+".pkl"), pickleFile(object)); err != nil {
		return err
	}
	return writeVolume(filepath.Join(dir, "nifti", name, "segmentation.nii.gz"), niftiUint8, k.labels, k.shape,
		[3]float32{1.6, 1.2, 1.2})
}
