package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// picture is a size of pictures, and how many there are in each request; the zero value is none.
type picture struct{ width, height, n int }

const mostSide = 1 << 14

func readPicture(text string) (picture, error) {
	if text == "" {
		return picture{}, nil
	}
	sides := strings.Split(text, "x")
	if len(sides) == 2 {
		sides = append(sides, "1")
	}
	if len(sides) == 3 {
		p := picture{count(sides[0]), count(sides[1]), count(sides[2])}
		if p.width > 0 && p.height > 0 && p.n > 0 && max(p.width, p.height) <= mostSide && p.n <= 1000 {
			return p, nil
		}
	}
	return picture{}, fmt.Errorf("--image %s: want WIDTHxHEIGHT or WIDTHxHEIGHTxN, as 1024x768 or 1024x768x2", text)
}

func (r *reader) pictures(json.RawMessage) ([]json.RawMessage, error) {
	return nil, errors.New("pictures cannot be sent yet")
}

func (w *Drawn) illustrate(*Ask, int) {}
