package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/internal/synthetic/products"
)

// productRow is a row of the catalogue on the hub.
type productRow struct {
	Image struct {
		Bytes []byte `parquet:"bytes,optional,plain"`
		Path  string `parquet:"path,optional"`
	} `parquet:"product_image"`
	Title       string   `parquet:"product_title"`
	Description string   `parquet:"product_description"`
	Offered     []string `parquet:"potential_product_categories,list"`
	Category    string   `parquet:"ground_truth_category"`
	Brand       string   `parquet:"ground_truth_brand"`
	SecondHand  bool     `parquet:"ground_truth_is_secondhand"`
}

// ProductFile is the name of the file that Products writes below its folder, equal to that of a split on the hub.
const ProductFile = "data/train-00000-of-00001.parquet"

// productsPerGroup is the number of products that are drawn before they are written.
const productsPerGroup = 256

// Products writes products to ProductFile below the folder dir, with the columns of the catalogue on the hub. The file
// gets its name when it is complete.
func Products(ctx context.Context, dir string, set products.Set, first, end int) (err error) {
	if err := inRange(first, end, set.Len()); err != nil {
		return err
	}
	path := filepath.Join(dir, filepath.FromSlash(ProductFile))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("make the folder of the data set: %w", err)
	}
	f, err := os.Create(path + ".part")
	if err != nil {
		return fmt.Errorf("write products: %w", err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
	}()
	w := parquet.NewGenericWriter[productRow](f)
	for ; first < end; first += productsPerGroup {
		rows := make([]productRow, min(productsPerGroup, end-first))
		if err := onAllCores(ctx, 0, len(rows), func(i int) error {
			rows[i] = rowOf(set, first+i)
			return nil
		}); err != nil {
			return err
		}
		if _, err := w.Write(rows); err != nil {
			return fmt.Errorf("write products: %w", err)
		}
		if err := w.Flush(); err != nil { // a row group contains the products that are drawn at a time
			return fmt.Errorf("write products: %w", err)
		}
	}
	return w.Close()
}

func rowOf(set products.Set, i int) productRow {
	p := set.Product(i)
	row := productRow{Title: p.Title, Description: p.Description, Offered: p.Offered, Category: p.Category,
		Brand: p.Brand, SecondHand: p.SecondHand}
	row.Image.Bytes, row.Image.Path = set.Picture(i), set.Name(i)
	return row
}
