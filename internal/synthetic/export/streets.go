package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/synthetic/streets"
)

// streetQuality is the JPEG quality of the pictures.
const streetQuality = 95

// Streets writes frames below the folder dir in the KITTI form of Waymo: DIR/waymo_infos_val.pkl, points in
// DIR/training/velodyne, pictures in DIR/training/image_0 to image_4. For training it also writes the classes of the
// pixels as grey PNG files in DIR/training/classes_0 to classes_4. It writes the index last, so a folder with the index
// is complete.
func Streets(ctx context.Context, dir string, set streets.Set, first, end int) error {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	training := filepath.Join(dir, "training")
	folders := []string{filepath.Join(training, "velodyne")}
	for k := range waymo.Cameras {
		folders = append(folders, cameraFolder(training, "image", k), cameraFolder(training, "classes", k))
	}
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return fmt.Errorf("make the folder of the data set: %w", err)
		}
	}
	frames := make([]*waymo.Frame, end-first)
	err := onAllCores(ctx, first, end, func(i int) error {
		frames[i-first] = set.Frame(i)
		return writeStreet(dir, set, i, frames[i-first])
	})
	if err != nil {
		return fmt.Errorf("write frames: %w", err)
	}
	var index bytes.Buffer
	if err := waymo.WriteIndex(&index, frames); err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, "waymo_infos_val.pkl"), index.Bytes(), 0o666)
}

func cameraFolder(training, name string, camera int) string {
	return filepath.Join(training, fmt.Sprintf("%s_%d", name, camera))
}

func writeStreet(dir string, set streets.Set, i int, frame *waymo.Frame) error {
	points, err := set.ReadPoints(i)
	if err != nil {
		return err
	}
	all := []error{os.WriteFile(filepath.Join(dir, filepath.FromSlash(frame.PointsFile)), waymo.EncodePoints(points),
		0o666)}
	training, name := filepath.Join(dir, "training"), strconv.Itoa(frame.Image)
	for k, shape := range frame.Shapes {
		classes := &image.Gray{Pix: set.Classes(i, k), Stride: shape.Width, Rect: image.Rect(0, 0, shape.Width, shape.Height)}
		var b bytes.Buffer
		all = append(all, png.Encode(&b, classes),
			os.WriteFile(filepath.Join(cameraFolder(training, "classes", k), name+".png"), b.Bytes(), 0o666),
			os.WriteFile(filepath.Join(cameraFolder(training, "image", k), name+".jpg"), set.JPEG(i, k, streetQuality), 0o666))
	}
	return errors.Join(all...)
}
