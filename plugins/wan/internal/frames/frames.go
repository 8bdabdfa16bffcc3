// Package frames reads some frames of a video file for display.
//
// In scope: GIF, Motion JPEG in AVI, and, if ffmpeg is installed, the formats it reads. Out of scope: the choice of a
// video, the display of frames.
package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os/exec"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// ErrFormat means that reading the frames requires ffmpeg, which is not installed.
var ErrFormat = errors.New("frames of this format are read by ffmpeg, and there is none")

// maxFileBytes limits the size of a file.
const maxFileBytes = 256 << 20

// ReadFrames reads n frames of the file at path: the first, the last, and others at equal distances. n must be 2 or
// more. If the video has fewer frames, ReadFrames returns all. With ffmpeg, it reads one frame per second and up to n
// seconds.
func ReadFrames(ctx context.Context, path string, n int) ([]image.Image, error) {
	file, err := bounded.ReadFile(path, maxFileBytes)
	if err != nil {
		return nil, err
	}
	return DecodeFrames(ctx, file, n)
}

// DecodeFrames is like ReadFrames for the content of a file.
func DecodeFrames(ctx context.Context, file []byte, n int) ([]image.Image, error) {
	switch {
	case bytes.HasPrefix(file, []byte("GIF8")):
		return decodeGIF(file, n)
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "AVI ":
		return decodeAVI(file, n)
	}
	return runFFmpeg(ctx, file, n)
}

// frameNumbers returns the indices of n frames out of all.
func frameNumbers(n, all int) (numbers []int) {
	if all <= n || n < 2 {
		n = all
	}
	for i := range n {
		k := 0
		if n > 1 {
			k = i * (all - 1) / (n - 1)
		}
		numbers = append(numbers, k)
	}
	return numbers
}

// maxPixels limits the size of a frame.
const maxPixels = 64 << 20

// decodeGIF draws the frames of a GIF on top of each other.
func decodeGIF(file []byte, n int) ([]image.Image, error) {
	config, err := gif.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if config.Width*config.Height > maxPixels {
		return nil, fmt.Errorf("%d x %d pixels are too many", config.Width, config.Height)
	}
	all, err := gif.DecodeAll(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	screen := image.NewNRGBA(image.Rect(0, 0, config.Width, config.Height))
	wanted := frameNumbers(n, len(all.Image))
	var chosen []image.Image
	for i, frame := range all.Image {
		draw.Draw(screen, frame.Bounds(), frame, frame.Bounds().Min, draw.Over)
		if len(chosen) < len(wanted) && wanted[len(chosen)] == i {
			copied := *screen
			copied.Pix = bytes.Clone(screen.Pix)
			chosen = append(chosen, &copied)
		}
	}
	return chosen, nil
}

// decodeAVI reads the chunks of a video stream of JPEG pictures.
func decodeAVI(file []byte, n int) ([]image.Image, error) {
	var pictures [][]byte
	if err := findChunks(file[12:], &pictures, 0); err != nil {
		return nil, err
	}
	if len(pictures) == 0 {
		return nil, errors.New("an AVI file without JPEG pictures")
	}
	var chosen []image.Image
	for _, k := range frameNumbers(n, len(pictures)) {
		config, err := jpeg.DecodeConfig(bytes.NewReader(pictures[k]))
		if err == nil && config.Width*config.Height > maxPixels {
			err = fmt.Errorf("%d x %d pixels are too many", config.Width, config.Height)
		}
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", k, err)
		}
		picture, err := jpeg.Decode(bytes.NewReader(pictures[k]))
		if err != nil {
			return nil, fmt.Errorf("frame %d: %w", k, err)
		}
		chosen = append(chosen, picture)
	}
	return chosen, nil
}

// findChunks collects the JPEG pictures in the chunks of a list and of nested lists.
func findChunks(list []byte, pictures *[][]byte, depth int) error {
	const head, deepest = 8, 4
	for len(list) >= head {
		id, size := string(list[:4]), int64(binary.LittleEndian.Uint32(list[4:]))
		list = list[head:]
		if size > int64(len(list)) {
			return fmt.Errorf("chunk %q of %d bytes has %d: the file is cut off", id, size, len(list))
		}
		body := list[:size]
		switch {
		case id == "LIST" && size >= 4 && depth < deepest:
			if err := findChunks(body[4:], pictures, depth+1); err != nil {
				return err
			}
		case id[2:] == "dc" || id[2:] == "db":
			if bytes.HasPrefix(body, []byte{0xff, 0xd8}) {
				*pictures = append(*pictures, body)
			}
		}
		list = list[min(size+size%2, int64(len(list))):]
	}
	return nil
}

// runFFmpeg reads one frame per second with ffmpeg.
func runFFmpeg(ctx context.Context, file []byte, n int) ([]image.Image, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrFormat
	}
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-v", "error", "-nostdin", "-i", "pipe:0", "-vf", "fps=1", "-frames:v",
		fmt.Sprint(n), "-f", "image2pipe", "-c:v", "png", "pipe:1")
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(file), &out, &said
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		return nil, fmt.Errorf("ffmpeg: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	var all []image.Image
	for out.Len() > 0 {
		picture, err := png.Decode(&out)
		if errors.Is(err, io.EOF) || err != nil && len(all) > 0 {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("ffmpeg wrote no picture: %w", err)
		}
		all = append(all, picture)
	}
	if len(all) == 0 {
		return nil, errors.New("ffmpeg found no frame")
	}
	return all, nil
}
