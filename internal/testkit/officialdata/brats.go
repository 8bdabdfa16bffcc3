package officialdata

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
)

// tumour is a head with a lesion of three classes, and the part of it that tinymodel's network for BraTS finds.
type tumour struct {
	raw, low, size [3]int  // depth, height and width of the volume, and the position and size of the head in it
	labels, seen   []uint8 // classes 0 to 3 of the volume's voxels: background, oedema, non-enhancing, enhancing
}

// newTumour puts a lesion into a head. The network misses some rows of it.
func newTumour(raw, low, size [3]int, missed int) tumour {
	h := tumour{raw: raw, low: low, size: size}
	h.labels, h.seen = make([]uint8, raw[0]*raw[1]*raw[2]), make([]uint8, raw[0]*raw[1]*raw[2])
	for class := 1; class <= 3; class++ {
		for y := 3; y < size[1]-3; y++ {
			for x := 2; x < size[2]-2; x++ {
				i := ((low[0]+3*class)*raw[1]+low[1]+y)*raw[2] + low[2] + x
				h.labels[i] = uint8(class)
				if y >= 3+class*missed {
					h.seen[i] = uint8(class)
				}
			}
		}
	}
	return h
}

// regionDice returns the DICE coefficients of the whole tumour, its core and its enhancing part.
func (h tumour) regionDice() (dice [3]float64) {
	for region := range dice { // each region contains the classes from a number on: 1, 2, 3
		both, sum := 0., 0.
		for i := range h.labels {
			labelled, seen := int(h.labels[i]) > region, int(h.seen[i]) > region
			if labelled && seen {
				both++
			}
			sum += boolNumber(labelled)/2 + boolNumber(seen)/2
		}
		dice[region] = 2 * both / sum
	}
	return dice
}

// channelOf returns the channel in which tinymodel's network finds a class.
func channelOf(class uint8) int { return [...]int{1: 3, 2: 0, 3: 1}[class] }

// inside reports whether a voxel belongs to the head.
func (h tumour) inside(z, y, x int) bool {
	for k, at := range [3]int{z, y, x} {
		if at < h.low[k] || at >= h.low[k]+h.size[k] {
			return false
		}
	}
	return true
}

// eachVoxel calls do for each voxel, with its position in C order and its depth, height and width.
func (h tumour) eachVoxel(do func(i, z, y, x int)) {
	for i := range h.labels {
		do(i, i/(h.raw[1]*h.raw[2]), i/h.raw[2]%h.raw[1], i%h.raw[2])
	}
}

// write writes voxels to a file in which the width varies fastest, like those of BraTS.
func (h tumour) write(path string, value func(i, z, y, x int) uint8) error {
	turned := [3]int{h.raw[2], h.raw[1], h.raw[0]}
	values := make([]float64, len(h.labels))
	h.eachVoxel(func(i, z, y, x int) { values[(x*turned[1]+y)*turned[2]+z] = float64(value(i, z, y, x)) })
	return writeVolume(path, niftiUint8, values, turned, [3]float32{1, 1, 1})
}

// channelValues returns the values of a channel. They are larger where a class is visible in the channel.
func (h tumour) channelValues(channel int) func(i, z, y, x int) uint8 {
	return func(i, z, y, x int) uint8 {
		class := h.seen[i]
		switch {
		case !h.inside(z, y, x):
			return 0
		case class > 0 && channelOf(class) == channel:
			return 200
		}
		return 100
	}
}

// tumours returns the first two cases of the benchmark.
func tumours() map[string]tumour {
	return map[string]tumour{
		"HGG__BraTS19_2013_13_1": newTumour([3]int{40, 50, 45}, [3]int{5, 6, 7}, [3]int{30, 35, 31}, 2),
		"HGG__BraTS19_2013_19_1": newTumour([3]int{36, 44, 52}, [3]int{0, 9, 3}, [3]int{33, 30, 40}, 4),
	}
}

// BraTS writes the first two cases in their published form: HGG/CASE/CASE_t1.nii.gz and so on. It returns the metrics
// of tinymodel's network.
func BraTS(dir string) (map[string]float64, error) {
	var faults []error
	for name, h := range tumours() {
		id := name[len("HGG__"):]
		base := filepath.Join(dir, "HGG", id, id)
		for channel, ending := range []string{"_t1", "_t1ce", "_t2", "_flair"} {
			faults = append(faults, h.write(base+ending+".nii.gz", h.channelValues(channel)))
		}
		faults = append(faults, h.write(base+"_seg.nii.gz", func(i, _, _, _ int) uint8 {
			return [...]uint8{0, 2, 1, 4}[h.labels[i]]
		}))
	}
	return bratsMetrics(), errors.Join(faults...)
}

// BraTSRenamed writes the same cases as renamed by the reference: imagesTr/NAME_0000.nii.gz, labelsTr/NAME.nii.gz.
func BraTSRenamed(dir string) error {
	var faults []error
	for name, h := range tumours() {
		for channel := range 4 {
			path := filepath.Join(dir, "imagesTr", fmt.Sprintf("%s_%04d.nii.gz", name, channel))
			faults = append(faults, h.write(path, h.channelValues(channel)))
		}
		faults = append(faults, h.writeLabels(filepath.Join(dir, "labelsTr", name+".nii.gz")))
	}
	return errors.Join(faults...)
}

func (h tumour) writeLabels(path string) error {
	return h.write(path, func(i, _, _, _ int) uint8 { return h.labels[i] })
}

// BraTSPreprocessed writes one case as preprocessed by the reference: preprocessed_data/preprocessed_files.pkl and
// NAME.pkl, with the converted labels in their folder. It returns the metrics of tinymodel's network.
func BraTSPreprocessed(dir string) (map[string]float64, error) {
	const name = "HGG__BraTS19_2013_19_1"
	h, padded := tumours()[name], [3]int{224, 224, 160}
	image := make([]byte, 4*4*padded[0]*padded[1]*padded[2])
	h.eachVoxel(func(i, z, y, x int) {
		if !h.inside(z, y, x) {
			return
		}
		var at [3]int
		for k, v := range [3]int{z, y, x} {
			at[k] = v - h.low[k] + (padded[k]-h.size[k])/2
		}
		for channel := range 4 {
			value := float32(-0.1)
			if class := h.seen[i]; class > 0 && channelOf(class) == channel {
				value = 5
			}
			place := ((channel*padded[0]+at[0])*padded[1]+at[1])*padded[2] + at[2]
			binary.LittleEndian.PutUint32(image[4*place:], math.Float32bits(value))
		}
	})
	var raw []byte
	var size, box []pickled
	for k := range h.raw {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(h.raw[k]))
		size = append(size, pickleInt(h.size[k]))
		box = append(box, pickleList(pickleInt(h.low[k]), pickleInt(h.low[k]+h.size[k])))
	}
	object := pickleList(pickleArray("f4", "<", image, 4, padded[0], padded[1], padded[2]), pickleDict(
		pickleText("original_size_of_raw_data"), pickleArray("i8", "<", raw, 3),
		pickleText("size_after_cropping"), pickleTuple(size...), pickleText("crop_bbox"), pickleList(box...),
		pickleText("itk_spacing"), pickleFloats(1, 1, 1), pickleText("itk_origin"), pickleFloats(0, 0, 0),
		pickleText("itk_direction"), pickleFloats(1, 0, 0, 0, 1, 0, 0, 0, 1)))
	regions := h.regionDice()
	folder := filepath.Join(dir, "preprocessed_data")
	labels := filepath.Join(dir, "raw_data", "nnUNet_raw_data", "Task043_BraTS2019", "labelsTr", name+".nii.gz")
	return metricsOf(regions), errors.Join(
		write(filepath.Join(folder, "preprocessed_files.pkl"), pickleFile(pickleList(pickleText(name)))),
		write(filepath.Join(folder, name+".pkl"), pickleFile(object)), h.writeLabels(labels))
}

func bratsMetrics() map[string]float64 {
	var mean [3]float64
	for _, h := range tumours() {
		for k, v := range h.regionDice() {
			mean[k] += v / 2
		}
	}
	return metricsOf(mean)
}

func metricsOf(regions [3]float64) map[string]float64 {
	return map[string]float64{"DICE": (regions[0] + regions[1] + regions[2]) / 3, "whole tumour DICE": regions[0],
		"tumour core DICE": regions[1], "enhancing tumour DICE": regions[2]}
}
