package officialdata

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/products"
)

// ProductCount is the number of products of a catalogue. ProductF1 is the hierarchical F1 of a server with the rules of
// WriteProductRules: every other answer is right, and the others contain no answer.
const (
	ProductCount = 20
	ProductF1    = 0.5
)

// WriteHubProducts writes a catalogue in the form of the hub, in two files.
func WriteHubProducts(dir string) error {
	ctx, data := context.Background(), filepath.Join(dir, "data")
	var faults []error
	for name, part := range map[string][2]int{
		"train-00000-of-00001.parquet": {0, ProductCount - 5},
		"test-00000-of-00001.parquet":  {ProductCount - 5, ProductCount},
	} {
		out := filepath.Join(dir, "part")
		faults = append(faults, export.Products(ctx, out, products.Eval(), part[0], part[1]),
			os.MkdirAll(data, 0o777),
			os.Rename(filepath.Join(out, filepath.FromSlash(export.ProductFile)), filepath.Join(data, name)),
			os.RemoveAll(out))
	}
	return errors.Join(faults...)
}

// harnessProduct is a row in the endpoints harness's form.
type harnessProduct struct {
	Title       string `parquet:"product_title"`
	Description string `parquet:"product_description"`
	Picture     string `parquet:"product_image_base64"`
	Format      string `parquet:"product_image_format"`
	Offered     string `parquet:"potential_product_categories"`
	Category    string `parquet:"ground_truth_category"`
	Brand       string `parquet:"ground_truth_brand"`
	SecondHand  string `parquet:"ground_truth_is_secondhand"`
}

// WriteHarnessProducts writes the same products to a file in the endpoints harness's form.
func WriteHarnessProducts(path string) error {
	rows := make([]harnessProduct, ProductCount)
	for i := range rows {
		p := products.Eval().Product(i)
		offered, err := json.Marshal(p.Offered)
		if err != nil {
			return err
		}
		picture := base64.StdEncoding.EncodeToString(products.Eval().Picture(i))
		rows[i] = harnessProduct{p.Title, p.Description, picture, "JPEG", string(offered), p.Category,
			p.Brand, fmt.Sprint(p.SecondHand)}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return parquet.WriteFile(path, rows)
}

// WriteProductWords writes the words of prompts.
func WriteProductWords(dir string) error {
	user := "Title\n{title}\nText\n{description}\nOne of {categories}\n"
	return errors.Join(
		os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "system.txt"), []byte("Answer in JSON.\n"), 0o666),
		os.WriteFile(filepath.Join(dir, "user.txt"), []byte(user), 0o666))
}

// WriteProductRules writes the rules for a mock server's answers, by the titles of products.
func WriteProductRules(path string) error {
	type rule struct {
		Contains string `json:"contains"`
		Text     string `json:"text"`
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(f)
	for i := range ProductCount {
		p := products.Eval().Product(i)
		text, err := json.Marshal(map[string]any{"category": p.Category, "brand": p.Brand, "is_secondhand": p.SecondHand})
		if err == nil {
			err = lines.Encode(rule{"\n" + p.Title + "\n", []string{string(text), "It is a thing."}[i%2]})
		}
		if err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return errors.Join(lines.Encode(rule{"", "{}"}), f.Close())
}
