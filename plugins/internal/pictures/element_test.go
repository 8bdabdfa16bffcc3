package pictures

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/preprocess/image"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestPicturesBecomeElementsOfTheModel compares samples of each element type with those of float32.
func TestPicturesBecomeElementsOfTheModel(t *testing.T) {
	set := firstPictures(2)
	for _, in := range []ModelInput{
		{Recipe: image.Vgg(48, image.NCHW), Size: 48, ElementType: backend.Float16},
		{Recipe: image.Pixels(48, image.NHWC), Size: 48, ElementType: backend.Uint8},
		{Recipe: image.NewLetterbox(64, true), Size: 64, ElementType: backend.Float16},
	} {
		plain := in
		plain.ElementType = backend.Float32
		converted, floats := NewPictureSamples(set, in), NewPictureSamples(set, plain)
		for range 2 { // memory comes back
			for i := range set {
				got, err := converted.Load(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				want, err := floats.Load(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				if got.Dims != want.Dims || !bytes.Equal(got.Data, elements(in.ElementType, backend.View[float32](want.Data))) {
					t.Errorf("%v: picture %d of %v, want %v as %v", in.ElementType, i, got.Dims, want.Dims, in.ElementType)
				}
				if err := got.Close(); err != nil {
					t.Error(err)
				}
			}
		}
		if warm := converted.WarmSample(); len(warm.Data)%in.ElementType.Size() != 0 || len(bytes.Trim(warm.Data,
			"\x00")) > 0 {
			t.Errorf("%v: a warm sample of %d bytes", in.ElementType, len(warm.Data))
		}
		got := in.TensorInfo("x", "").DType
		if got != in.ElementType || plain.ConversionNote() != "" || !strings.Contains(in.ConversionNote(), got.String()) {
			t.Errorf("the tensor is %v, the note %q", got, in.ConversionNote())
		}
	}
}

// elements are values as the model takes them.
func elements(d backend.DType, values []float32) (data []byte) {
	for _, v := range values {
		if d == backend.Float16 {
			data = binary.LittleEndian.AppendUint16(data, half.ToFloat16(float64(v)))
		} else {
			data = append(data, byte(v))
		}
	}
	return data
}

func TestBytesHoldWholeNumbersAlone(t *testing.T) {
	dst := make([]byte, 1)
	for _, v := range []float32{-1, 256, 0.5, float32(math.NaN()), float32(math.Inf(1))} {
		err := convertElements(backend.Uint8, dst, []float32{v})
		if err == nil || !strings.Contains(err.Error(), "preprocess=pixels") {
			t.Errorf("%v: %v", v, err)
		}
	}
	for _, v := range []float32{0, 1, 255} {
		if err := convertElements(backend.Uint8, dst, []float32{v}); err != nil || float32(dst[0]) != v {
			t.Errorf("%v: %d, %v", v, dst[0], err)
		}
	}
}

func TestFloats(t *testing.T) {
	values := []float32{0, -2.5, 65504, float32(math.Inf(-1))}
	data := make([]byte, 2*len(values))
	half.Float16.Encode(data, values)
	for _, tensor := range []backend.Tensor{
		{DType: backend.Float16, Data: data}, {DType: backend.Float32, Data: backend.Bytes(values)},
	} {
		got, err := ReadFloats(tensor)
		if err != nil || len(got) != len(values) {
			t.Fatalf("%v: %v, %v", tensor.DType, got, err)
		}
		for i, v := range values {
			if got[i] != v {
				t.Errorf("%v: value %d is %v, want %v", tensor.DType, i, got[i], v)
			}
		}
	}
	for _, bad := range []backend.Tensor{
		{DType: backend.Float16, Data: data[1:]}, {DType: backend.Float32, Data: data[:6]},
		{DType: backend.Int64, Data: data},
	} {
		if _, err := ReadFloats(bad); err == nil {
			t.Errorf("%v of %d bytes is read", bad.DType, len(bad.Data))
		}
	}
}
