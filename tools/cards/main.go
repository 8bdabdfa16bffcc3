// Command cards measures the embedded models and writes their figures into their cards.
//
//	go run ./tools/cards [-harness bin/harness] [PLUGIN...]
//
// It updates each plugins/PLUGIN/model/card.json and the cards of single models in the folders below. It runs `harness
// run MODEL --mode accuracy` in the precision of each of the card's files, and `harness audit` for each test with a
// figure on the card, and replaces the files' sizes, checksums and metrics. The set of metrics does not change; the
// training script writes the rest of the card. Tests then name the rows of README files that differ.
//
// Run it on a processor with AVX-512 VNNI: with AVX2 alone, ONNX Runtime's INT8 kernels saturate.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("cards: ")
	harness := flag.String("harness", "bin/harness", "the harness to measure with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *harness, flag.Args()); err != nil {
		stop()
		log.Fatal(err)
	}
}

// run updates the cards of the named plugins, or of all plugins if none are named.
func run(ctx context.Context, harness string, plugins []string) error {
	if len(plugins) == 0 {
		plugins = []string{"*"}
	}
	for _, plugin := range plugins {
		paths := findCards("plugins", plugin)
		if len(paths) == 0 {
			return fmt.Errorf("plugins/%s/model/card.json is missing; run this in the root of the project", plugin)
		}
		for _, path := range paths {
			if err := updateCard(ctx, harness, path); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return nil
}

// findCards returns the paths of a plugin's cards, or of all cards for "*": the card in the plugin's model folder and
// those in folders below it.
func findCards(plugins, plugin string) []string {
	paths, _ := filepath.Glob(filepath.Join(plugins, plugin, modelFolder, "card.json")) // the pattern is well-formed
	below, _ := filepath.Glob(filepath.Join(plugins, plugin, modelFolder, "*", "card.json"))
	return append(paths, below...)
}

// modelFolder is the folder of a plugin's embedded models.
const modelFolder = "model"

func updateCard(ctx context.Context, harness, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	c, err := parseCard(text)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	for i := range c.files {
		if err := c.files[i].identify(dir); err != nil {
			return err
		}
	}
	for _, parts := range c.groupFiles() {
		if err := measureParts(ctx, harness, dir, parts); err != nil {
			return err
		}
	}
	text, err = c.format()
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
