package officialdata

import "path/filepath"

// ImageNetAccuracy is what tinymodel's classifiers reach on the pictures of ImageNet, in percent.
const ImageNetAccuracy = 75

// ImageNet writes val_map.txt and its pictures: JPEGs of the colours that tinymodel's classifiers know. One in four has
// another label.
func ImageNet(dir string) error {
	pictures := []struct {
		name string
		jpeg func() ([]byte, error)
	}{
		{"ILSVRC2012_val_00000001.JPEG", func() ([]byte, error) { return encoded(red, 500, 375) }},
		{"ILSVRC2012_val_00000002.JPEG", func() ([]byte, error) { return encoded(green, 375, 500) }},
		{"ILSVRC2012_val_00000003.JPEG", func() ([]byte, error) { return encoded(blue, 256, 256) }},
		{"val/n01440764/small.JPEG", func() ([]byte, error) { return encoded(red, 32, 20) }},
		{"wide.jpg", func() ([]byte, error) { return encoded(green, 600, 60) }},
		{"turned.jpeg", func() ([]byte, error) {
			file, err := encoded(blue, 300, 240)
			return turned(file), err
		}},
		{"grey.JPEG", func() ([]byte, error) { return encodedGrey(128, 300, 300) }},
		{"mislabelled.JPEG", func() ([]byte, error) { return encoded(red, 224, 224) }},
	}
	for _, p := range pictures {
		file, err := p.jpeg()
		if err != nil {
			return err
		}
		if err := write(filepath.Join(dir, filepath.FromSlash(p.name)), file); err != nil {
			return err
		}
	}
	return write(filepath.Join(dir, "val_map.txt"), []byte(valMap))
}

// valMap is as people have it: with blanks, tabs, both ends of lines, and none at the end.
const valMap = "ILSVRC2012_val_00000001.JPEG 10\n" +
	"ILSVRC2012_val_00000002.JPEG\t20\r\n" +
	"ILSVRC2012_val_00000003.JPEG  30 \n" +
	"\n" +
	"val/n01440764/small.JPEG 10\n" +
	" wide.jpg 20\n" +
	"turned.jpeg \t30\n" +
	"grey.JPEG 0\n" +
	"mislabelled.JPEG 999"
