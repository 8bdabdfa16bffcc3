package rnnt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// stacked is how many frames of features are one of the encoder's.
const stacked = 2

// encodedFrames is how many frames the encoder makes of n: an odd number gets one of zeros.
func encodedFrames(n int) int { return (n + stacked - 1) / stacked }

// sharing says which clips share runs of the encoder without a change of any frame.
//
// The reference's encoder stacks two frames inside. A clip of an odd length has zeros there behind its last frame; in a
// batch with a longer one, it has what the first layers make of its padding, and its last frame differs.
type sharing uint8

const (
	alone      sharing = iota // none
	evenLength                // those of even length, and those as long as the longest of the run
	anyLength                 // all: the encoder masks what is behind a clip's end
)

func (s sharing) String() string {
	return [...]string{"one clip each", "clips of even length, and those as long as the longest", "any clips"}[s]
}

// encoder is the memory of one worker's runs of the encoder.
type encoder struct {
	session backend.Session
	sharing sharing

	input   []float32 // [frames, clips, 240]
	lengths []int64
	in, out [2]backend.Tensor
	order   []int
	held    []backend.Tensor // outputs that clips refer to
}

// features are those of one clip, [frames, 240].
type features []float32

func (f features) frames() int { return len(f) / audio.RNNTWidth }

// run encodes clips: each gets a slice of [encodedFrames, width], which is valid until release.
func (e *encoder) run(ctx context.Context, clips []features, encoded [][]float32) error {
	e.order = e.order[:0]
	for i := range clips {
		e.order = append(e.order, i)
	}
	slices.SortStableFunc(e.order, func(a, b int) int { return cmp.Compare(len(clips[b]), len(clips[a])) })
	for left := e.order; len(left) > 0; {
		n := e.share(clips, left)
		if err := e.group(ctx, clips, left[:n], encoded); err != nil {
			return err
		}
		left = left[n:]
	}
	return nil
}

// share moves those of the clips, longest first, that share a run with the first to the front. It returns how many.
func (e *encoder) share(clips []features, order []int) int {
	n, longest := 0, clips[order[0]].frames()
	for i, c := range order {
		length := clips[c].frames()
		if i == 0 || e.sharing == anyLength || e.sharing == evenLength && (length == longest || length%stacked == 0) {
			copy(order[n+1:i+1], order[n:i]) // the others stay in their order
			order[n] = c
			n++
		}
	}
	return n
}

// group encodes clips in one run, the longest first.
func (e *encoder) group(ctx context.Context, clips []features, group []int, encoded [][]float32) error {
	e.collate(clips, group)
	e.out = [2]backend.Tensor{}
	if err := e.session.Run(ctx, e.in[:], e.out[:]); err != nil {
		return err
	}
	e.held = append(e.held, e.out[:]...)
	frames := encodedFrames(clips[group[0]].frames())
	values, err := e.frames(len(group), frames)
	if err != nil {
		return err
	}
	each := len(values) / len(group)
	width := each / frames
	for i, c := range group {
		encoded[c] = values[i*each:][:encodedFrames(clips[c].frames())*width]
	}
	return nil
}

// collate writes the inputs: time, then clips, zeros behind a clip's end. A clip alone is handed over as it is.
func (e *encoder) collate(clips []features, group []int) {
	frames, n := clips[group[0]].frames(), len(group)
	e.lengths = e.lengths[:0]
	for _, c := range group {
		e.lengths = append(e.lengths, int64(clips[c].frames()))
	}
	data := []float32(clips[group[0]])
	if n > 1 {
		e.input = slices.Grow(e.input[:0], frames*n*audio.RNNTWidth)[:frames*n*audio.RNNTWidth]
		for i, c := range group {
			e.column(i, n, frames, clips[c])
		}
		data = e.input
	}
	e.in[0] = tensor(data, int64(frames), int64(n), audio.RNNTWidth)
	e.in[1] = backend.Tensor{DType: backend.Int64, Shape: []int64{int64(n)}, Data: backend.Bytes(e.lengths)}
}

// column writes clip i of n.
func (e *encoder) column(i, n, frames int, clip features) {
	const width = audio.RNNTWidth
	for t := range frames {
		to := e.input[(t*n+i)*width:][:width]
		if t < clip.frames() {
			copy(to, clip[t*width:])
		} else {
			clear(to)
		}
	}
}

// frames are what a run gave, [clips, frames, width].
func (e *encoder) frames(clips, frames int) ([]float32, error) {
	out := &e.out[0]
	values, err := floatsOf(out, 3)
	if err != nil {
		return nil, err
	}
	if s := out.Shape; s[0] != int64(clips) || s[1] != int64(frames) || s[2] == 0 {
		return nil, fmt.Errorf("%w: encoder: %s for clips of up to %d frames, want [%d,%d,width], half as many frames, rounded "+
			"up; an export with a fixed length gives others: export with free ones", errOutput, backend.ShapeString(s),
			e.lengths[0], clips, frames)
	}
	return values, nil
}

// release gives back what clips refer to.
func (e *encoder) release() {
	for i := range e.held {
		e.held[i].Release()
	}
	e.held = e.held[:0]
}
