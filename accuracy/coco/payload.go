package coco

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// recordSize is the length of a detection in a payload.
const recordSize = 7 * 4

// The positions of a detection's values in a payload.
const (
	fieldIndex = iota
	fieldYMin
	fieldXMin
	fieldYMax
	fieldXMax
	fieldScore
	fieldLabel
)

var fieldNames = [7]string{"sample", "ymin", "xmin", "ymax", "xmax", "score", "label"}

type payloadRow [7]float32

func readRecord(b []byte) (r payloadRow) {
	for i := range r {
		r[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return r
}

// decodePayload appends the detections of a payload. The error lists all faults.
func (s *DetectionScorer) decodePayload(index uint64, data []byte) error {
	if len(data)%recordSize != 0 {
		return fmt.Errorf("%w: sample %d: %d bytes, want a multiple of %d: seven float32 per detection",
			ErrPayload, index, len(data), recordSize)
	}
	var wrong accuracy.FaultList
	for i := 0; i < len(data); i += recordSize {
		r := readRecord(data[i : i+recordSize])
		if problem := s.addDetection(index, r); problem != "" {
			wrong.Addf("sample %d, detection %d: %s", index, i/recordSize, problem)
		}
	}
	return wrong.Err(ErrPayload)
}

// addDetection adds a detection. If the detection is invalid, it returns a description of the fault.
func (s *DetectionScorer) addDetection(index uint64, r payloadRow) (problem string) {
	for i, v := range r {
		if !allFinite(float64(v)) {
			return fmt.Sprintf("%s is %v, want a finite number", fieldNames[i], v)
		}
	}
	label, _ := accuracy.Truncate(float64(r[fieldLabel]))
	id, problem := s.categoryID(label)
	if problem != "" {
		return problem
	}
	if found, _ := accuracy.Truncate(float64(r[fieldIndex])); found != int64(index) {
		s.result.Disagreements = append(s.result.Disagreements, Disagreement{index, found})
	}
	s.result.Detections++
	category, known := s.ranks[id]
	if !known {
		s.result.Unknown++
		return ""
	}
	s.detections = append(s.detections, scaleToPixels(r, s.samples[index], category))
	return ""
}

// scaleToPixels converts shares of the picture's size to pixels. Each step rounds to float32, like the official
// scripts. The conversions prevent the compiler from fusing steps.
func scaleToPixels(r payloadRow, im logSample, category int32) detection {
	ymin, xmin := float32(r[fieldYMin]*im.height), float32(r[fieldXMin]*im.width)
	ymax, xmax := float32(r[fieldYMax]*im.height), float32(r[fieldXMax]*im.width)
	return detection{xmin, ymin, xmax - xmin, ymax - ymin, r[fieldScore], category}
}

// categoryID returns the ID of the category of a label.
func (s *DetectionScorer) categoryID(label int64) (id int64, problem string) {
	if !s.options.InverseMap || label == 0 { // the official map begins with a 0 that no label uses
		return label, ""
	}
	if label < 0 || label > int64(len(s.categories)) {
		return 0, fmt.Sprintf("label %d, want 1 to %d, as labels count the categories", label, len(s.categories))
	}
	return s.categories[label-1].ID, ""
}
