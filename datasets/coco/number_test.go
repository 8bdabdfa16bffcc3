package coco

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestNumbersOfOtherPrograms reads one file in the forms in which programs write it that pycocotools takes.
func TestNumbersOfOtherPrograms(t *testing.T) {
	const form = `{"images": [{"id": %[1]s, "file_name": "a", "width": %[3]s, "height": 8},
			{"id": %[2]s, "file_name": "b", "width": 6, "height": 8, "license": null}],
		"categories": [{"id": %[4]s, "name": "cat"}],
		"annotations": [
			{"id": %[5]s, "image_id": %[2]s, "category_id": %[4]s, "bbox": [1, 2, 3, 4], "area": 9, "iscrowd": %[6]s},
			{"id": %[8]s, "image_id": %[1]s, "category_id": %[4]s, "bbox": [1, 2, 3, 4], "area": 9, "iscrowd": %[7]s}]}`
	read := func(values ...any) (*AnnotationFile, error) {
		second := strings.Replace(values[4].(string), "1", "11", 1)
		text := fmt.Sprintf(form, append(values, second)...)
		s, err := Open(folder(t, map[string][]byte{annotationFile: []byte(text)}), ImageOptions{LabelsOnly: true})
		if err != nil {
			return nil, err
		}
		return s.File(), nil
	}
	want, err := read("1007", "2000", "6", "44", "1", "1", "0")
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range map[string][]any{
		"true and false":       {"1007", "2000", "6", "44", "1", "true", "false"},
		"fractions of pandas":  {"1007.0", "2000.0", "6.0", "44.0", "1.0", "1.0", "0.0"},
		"exponents":            {"1.007e3", "2E3", "6", "4.4e1", "1", "1e0", "0e0"},
		"null for no crowd":    {"1007", "2000", "6", "44", "1", "true", "null"},
		"categories in quotes": {"1007", "2000", "6", `"44"`, "1", "1", "0"},
	} {
		if got, err := read(values...); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v: %v", name, got, want, err)
		}
	}
	for name, values := range map[string][]any{
		"texts":                {`"1007"`, `"2000"`, "6", "44", `"1"`, "1", "0"},
		"OpenImages":           {`"000e8d5a"`, `"ff01"`, "6", "44", "1", "1", "0"},
		"texts in this order":  {`"1"`, `"10"`, "6", "44", "1", "1", "0"},
		"texts of annotations": {`1007`, `2000`, "6", "44", `"1"`, "1", "0"},
	} {
		got, err := read(values...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, a := range got.Annotations {
			if a.Image != got.Images[1-i].ID || a.Category != 44 || a.Crowd != (i == 0) {
				t.Errorf("%s: annotation %+v of %+v", name, a, got.Images)
			}
		}
		if got.Images[0].ID >= got.Images[1].ID {
			t.Errorf("%s: images %+v in another order", name, got.Images)
		}
	}
	for says, values := range map[string][]any{
		`"iscrowd" is a number 2, want 0, 1, false or true`:      {"1007", "2000", "6", "44", "1", "2", "0"},
		`"iscrowd" is a string`:                                  {"1007", "2000", "6", "44", "1", `"0"`, "0"},
		`"id" is a number 1007.5, want a whole number or a text`: {"1007.5", "2000", "6", "44", "1", "1", "0"},
		"some ids of images are numbers, and some are texts":     {`"1007"`, "2000", "6", "44", "1", "1", "0"},
		`"width" is a number 6.5, want a whole number`:           {"1007", "2000", "6.5", "44", "1", "1", "0"},
		`"id" is a string, want a whole number`:                  {"1007", "2000", "6", `"cat"`, "1", "1", "0"},
		`"id" is a number 1e99, want a whole number or a text`:   {"1e99", "2000", "6", "44", "1", "1", "0"},
		`"category_id" is a number 4.4e-1, want a whole number`:  {"1007", "2000", "6", "4.4e-1", "1", "1", "0"},
		`"image_id" is an object, want a whole number or a text`: {"{}", "2000", "6", "44", "1", "1", "0"},
		`"image_id" is an array, want a whole number or a text`:  {"[7]", "2000", "6", "44", "1", "1", "0"},
		`"width" is a string, want a whole number`:               {"1007", "2000", `"6"`, "44", "1", "1", "0"},
		`"id" is a bool, want a whole number or a text`:          {"true", "2000", "6", "44", "1", "1", "0"},
	} {
		if _, err := read(values...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
