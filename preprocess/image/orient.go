package image

// makeUpright returns the upright form of a picture stored with orientation o. It returns p itself if p is already
// upright.
func makeUpright(p *RGB, o exifRotation) *RGB {
	if o == upright {
		return p
	}
	out := new(RGB)
	if o >= minTransposed {
		out.setSize(p.H, p.W)
	} else {
		out.setSize(p.W, p.H)
	}
	start, dx, dy := orientSteps(p, o)
	for y := range out.H {
		row := out.Pix[channels*out.W*y:][:channels*out.W]
		at := start + y*dy
		for x := 0; x < len(row); x += channels {
			copy(row[x:x+channels], p.Pix[at:at+channels])
			at += dx
		}
	}
	return out
}

// orientSteps returns the position in p.Pix of the upright picture's first pixel, and the steps to its right and lower
// neighbours.
func orientSteps(p *RGB, o exifRotation) (start, dx, dy int) {
	const col = channels
	row := channels * p.W
	right, bottom := col*(p.W-1), row*(p.H-1)
	switch o {
	case 2: // mirrored horizontally
		return right, -col, row
	case 3: // rotated by half a turn
		return right + bottom, -col, -row
	case 4: // mirrored vertically
		return bottom, col, -row
	case 5: // transposed
		return 0, row, col
	case 6: // must be rotated clockwise
		return bottom, -row, col
	case 7: // transposed along the other diagonal
		return right + bottom, -row, -col
	case 8: // must be rotated counter-clockwise
		return right, row, -col
	}
	return 0, col, row
}
