package rnnt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// stackedFrames is the number of feature frames that the encoder combines into one.
const stackedFrames = 2

// encodedFrames returns the number of frames that the encoder makes of n frames. It pads an odd number with a frame of
// zeros.
func encodedFrames(n int) int { return (n + stackedFrames - 1) / stackedFrames }

// encoderSharing determines which clips can share a run of the encoder without changing the result.
//
// The reference's encoder stacks pairs of frames internally. A clip of odd length is padded there with zeros. In a
// batch with a longer clip, it is instead padded with the first layers' output for the padding, so its last frame
// differs.
type encoderSharing uint8

const (
	noSharing         encoderSharing = iota // none
	evenLengthSharing                       // clips of even length, and clips as long as the longest one of the run
	anyLengthSharing                        // all clips: the encoder masks frames after a clip's end
)

func (s encoderSharing) String() string {
	return [...]string{"one clip each", "clips of even length, and those as long as the longest", "any clips"}[s]
}

// encoderRun contains the memory of one worker's runs of the encoder.
type encoderRun struct {
	session backend.Session
	form    *modelForm
	bins    int // number of values per feature frame
	sharing encoderSharing

	input           []float32
	lengths         []int64
	inputs, outputs [2]backend.Tensor
	order           []int
	sharedOutputs   []backend.Tensor // outputs to which clips refer
}

// clipFeatures contains the features of a clip: values [frames, bins].
type clipFeatures []float32

// encodeClips encodes clips. For each clip it sets a slice of [its encoded frames, width], which is valid until the
// outputs are released.
func (e *encoderRun) encodeClips(ctx context.Context, clips []clipFeatures, encoded [][]float32) error {
	e.order = e.order[:0]
	for i := range clips {
		e.order = append(e.order, i)
	}
	slices.SortStableFunc(e.order, func(a, b int) int { return cmp.Compare(len(clips[b]), len(clips[a])) })
	for left := e.order; len(left) > 0; {
		n := e.groupClips(clips, left)
		if err := e.encodeGroup(ctx, clips, left[:n], encoded); err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

func (e *encoderRun) frameCount(f clipFeatures) int { return len(f) / e.bins }

// groupClips moves the clips that share a run with the first one, which must be the longest, to the front of order. It
// returns their number.
func (e *encoderRun) groupClips(clips []clipFeatures, order []int) int {
	n, longest := 0, e.frameCount(clips[order[0]])
	for i, c := range order {
		length := e.frameCount(clips[c])
		if i == 0 || e.sharing == anyLengthSharing || e.sharing == evenLengthSharing && (length == longest ||
			length%stackedFrames == 0) {
			copy(order[n+1:i+1], order[n:i]) // the order of the others stays unchanged
			order[n] = c
			n++
		}
	}
	return n
}

// encodeGroup encodes clips in one run. The longest one must be first.
func (e *encoderRun) encodeGroup(ctx context.Context, clips []clipFeatures, group []int, encoded [][]float32) error {
	e.writeInputs(clips, group)
	e.outputs = [2]backend.Tensor{}
	if err := e.session.Run(ctx, e.inputs[:], e.outputs[:]); err != nil {
		return err
	}
	e.sharedOutputs = append(e.sharedOutputs, e.outputs[:]...)
	values, err := readFloats(&e.outputs[0], 3)
	if err != nil {
		return err
	}
	lengths, err := readIntegers(&e.outputs[1], len(group))
	if err != nil {
		return err
	}
	for i, c := range group {
		if encoded[c], err = e.encodedClip(values, i, len(group), lengths[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeInputs writes the inputs, with zeros after a clip's end. A single clip is passed without copying if its layout
// is that of the features.
func (e *encoderRun) writeInputs(clips []clipFeatures, group []int) {
	frames, n := e.frameCount(clips[group[0]]), len(group)
	e.lengths = e.lengths[:0]
	for _, c := range group {
		e.lengths = append(e.lengths, int64(e.frameCount(clips[c])))
	}
	data := []float32(clips[group[0]])
	if n > 1 || e.form.layout == widthFirst {
		e.input = growFloats(e.input, frames*n*e.bins)
		clear(e.input)
		for i, c := range group {
			e.writeClip(i, n, frames, clips[c])
		}
		data = e.input
	}
	e.inputs[0] = floatTensor(data, e.form.layout.tensorShape(n, frames, e.bins)...)
	e.inputs[1] = backend.Tensor{DType: backend.Int64, Shape: []int64{int64(n)}, Data: backend.Bytes(e.lengths)}
}

// writeClip writes clip i of n.
func (e *encoderRun) writeClip(i, n, frames int, clip clipFeatures) {
	for t := range e.frameCount(clip) {
		first, step := e.form.layout.frameStart(i, n, t, frames, e.bins)
		values := clip[t*e.bins:][:e.bins]
		if step == 1 {
			copy(e.input[first:], values)
			continue
		}
		for j, v := range values {
			e.input[first+j*step] = v
		}
	}
}

// encodedClip returns the frames of clip i of n in the output of a run. length is their number according to the output.
func (e *encoderRun) encodedClip(values []float32, i, n int, length int64) ([]float32, error) {
	shape := e.outputs[0].Shape
	most, width := shape[1], shape[2]
	if e.form.layout == widthFirst {
		most, width = width, most
	}
	if e.form.encodedFrames != nil {
		length = int64(e.form.encodedFrames(int(e.lengths[i])))
		if want := int64(e.form.encodedFrames(int(e.lengths[0]))); most != want {
			return nil, fmt.Errorf("%w: encoder: %s for clips of up to %d frames, want [%d,%d,width], half as many frames, "+
				"rounded up; an export with a fixed length gives others: export with free ones", errOutput,
				backend.ShapeString(shape), e.lengths[0], n, want)
		}
	}
	if shape[0] != int64(n) || width == 0 || length < 0 || length > most {
		return nil, fmt.Errorf("%w: encoder: %s, and %d frames of clip %d of %d", errOutput,
			backend.ShapeString(shape), length,
			i, n)
	}
	clip := values[int64(i)*most*width:][:most*width]
	if e.form.layout == widthFirst {
		return transposeFrames(clip, int(most), int(length)), nil
	}
	return clip[:length*width], nil
}

// transposeFrames transposes the first frames of values from [width, allFrames] to [frames, width].
func transposeFrames(values []float32, allFrames, frames int) []float32 {
	width := len(values) / allFrames
	to := make([]float32, 0, frames*width)
	for t := range frames {
		for j := range width {
			to = append(to, values[j*allFrames+t])
		}
	}
	return to
}

// releaseOutputs releases the outputs to which clips refer.
func (e *encoderRun) releaseOutputs() {
	for i := range e.sharedOutputs {
		e.sharedOutputs[i].Release()
	}
	e.sharedOutputs = e.sharedOutputs[:0]
}
