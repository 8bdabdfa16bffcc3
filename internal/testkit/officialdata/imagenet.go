package officialdata

import (
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// ImageNetAccuracy is the accuracy of tinymodel's classifiers on the pictures of ImageNet, in percent.
const ImageNetAccuracy = 75

// labelled is a picture with its line of val_map.txt.
type labelled struct {
	name, line string
	jpeg       []byte
}

// ImageNet writes val_map.txt and its 20 pictures: JPEG files in the colours that tinymodel's classifiers know. One in
// four has a wrong label.
func ImageNet(dir string) error { return imageNet(dir, 500) }

// RightImageNet is like ImageNet, with right labels for most of the wrongly labelled pictures: the classifiers reach 90
// %.
func RightImageNet(dir string) error { return imageNet(dir, -1) }

// imageNetSize is the number of pictures in ImageNet's validation set.
const imageNetSize = 50_000

// WholeImageNet is like RightImageNet, with the number of pictures that the rules require: its last three pictures
// under many names.
func WholeImageNet(dir string) error {
	if err := RightImageNet(dir); err != nil {
		return err
	}
	file := filepath.Join(dir, "val_map.txt")
	list, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(string(list)), "\n")
	written, last := len(lines), lines[len(lines)-3:]
	pictures := 0
	for _, line := range lines {
		if strings.TrimSpace(line) != "" { // one line is empty, which readers must accept
			pictures++
		}
	}
	for i := range imageNetSize - pictures {
		name, label, _ := strings.Cut(last[i%3], " ")
		other := fmt.Sprintf("ILSVRC2012_val_%08d.JPEG", written+i+1)
		if err := os.Link(filepath.Join(dir, name), filepath.Join(dir, other)); err != nil {
			return err
		}
		lines = append(lines, other+" "+label)
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// imageNet writes the data set. another is the label of every fourth plain picture, unless it is -1.
func imageNet(dir string, another int) error {
	pictures, err := oddPictures()
	if err != nil {
		return err
	}
	for i := len(pictures); i < 20; i++ {
		p, err := plainPicture(i, another)
		if err != nil {
			return err
		}
		pictures = append(pictures, p)
	}
	var valMap strings.Builder
	for _, p := range pictures {
		valMap.WriteString(p.line)
		if err := write(filepath.Join(dir, filepath.FromSlash(p.name)), p.jpeg); err != nil {
			return err
		}
	}
	return write(filepath.Join(dir, "val_map.txt"), []byte(strings.TrimSuffix(valMap.String(), "\n")))
}

// plainPicture returns a picture without peculiarities.
func plainPicture(i, another int) (labelled, error) {
	label := []int{tinymodel.Red, tinymodel.Green, tinymodel.Blue}[i%3]
	if i%4 == 0 && another >= 0 {
		label = another
	}
	file, err := encoded([]color.Color{red, green, blue}[i%3], 500-10*i, 300+10*i)
	name := fmt.Sprintf("ILSVRC2012_val_%08d.JPEG", i+1)
	return labelled{name, fmt.Sprintf("%s %d\n", name, label), file}, err
}

// oddPictures returns pictures with peculiarities: blanks, tabs and both line ends in val_map.txt, folders, other
// suffixes, small and long pictures, a rotated and a grey one. Two of the eight have a wrong label.
func oddPictures() ([]labelled, error) {
	var faults []error
	coloured := func(c color.Color, width, height int) []byte {
		file, err := encoded(c, width, height)
		faults = append(faults, err)
		return file
	}
	grey, err := encodedGrey(128, 300, 300)
	faults = append(faults, err)
	pictures := []labelled{
		{"ILSVRC2012_val_00000001.JPEG", "ILSVRC2012_val_00000001.JPEG\t10\r\n", coloured(red, 500, 375)},
		{"2.JPEG", "2.JPEG  20 \n", coloured(green, 375, 500)},
		{"square.JPEG", "square.JPEG\t 30\n\n", coloured(blue, 256, 256)},
		{"val/n01440764/small.JPEG", "val/n01440764/small.JPEG 10\n", coloured(red, 32, 20)},
		{"wide.jpg", " wide.jpg 20\n", coloured(green, 600, 60)},
		{"turned.jpeg", "turned.jpeg 30\n", turned(coloured(blue, 300, 240))},
		{"grey.JPEG", "grey.JPEG 0\n", grey},
		{"mislabelled.JPEG", "mislabelled.JPEG 999\n", coloured(red, 224, 224)},
	}
	return pictures, errors.Join(faults...)
}
