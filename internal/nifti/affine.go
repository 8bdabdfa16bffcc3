package nifti

import "math"

// affine returns the transform in the header: sform if present, else qform. Without both it uses the spacing, with the
// volume's middle at 0 and the first axis reversed, as in Analyze.
func (raw *rawHeader) affine() [4][4]float64 {
	switch {
	case raw.SForm > 0:
		return raw.sform()
	case raw.QForm > 0:
		return raw.qform()
	}
	a := [4][4]float64{3: {3: 1}}
	for i := range 3 {
		step := float64(raw.Spacing[i+1])
		if i == 0 {
			step = -step
		}
		a[i][i] = step
		a[i][3] = -step * (float64(raw.Dim[i+1]) - 1) / 2
	}
	return a
}

func (raw *rawHeader) sform() [4][4]float64 {
	a := [4][4]float64{3: {3: 1}}
	for i, row := range raw.Rows {
		for j, v := range row {
			a[i][j] = float64(v)
		}
	}
	return a
}

// qform returns the rotation by the quaternion (a, b, c, d) with a = sqrt(1 - b^2 - c^2 - d^2), scaled by the spacing.
// The sign of Spacing[0] reverses the third axis (nifti1.h, method 2).
func (raw *rawHeader) qform() [4][4]float64 {
	b, c, d := float64(raw.Quaternion[0]), float64(raw.Quaternion[1]), float64(raw.Quaternion[2])
	w := math.Sqrt(max(0, 1-(b*b+c*c+d*d)))
	r := [3][3]float64{
		{w*w + b*b - c*c - d*d, 2 * (b*c - w*d), 2 * (b*d + w*c)},
		{2 * (b*c + w*d), w*w + c*c - b*b - d*d, 2 * (c*d - w*b)},
		{2 * (b*d - w*c), 2 * (c*d + w*b), w*w + d*d - b*b - c*c},
	}
	a := [4][4]float64{3: {3: 1}}
	for i := range 3 {
		for j := range 3 {
			a[i][j] = r[i][j] * float64(raw.Spacing[j+1])
		}
		if raw.Spacing[0] < 0 {
			a[i][2] = -a[i][2]
		}
		a[i][3] = float64(raw.QuaternionAt[i])
	}
	return a
}
