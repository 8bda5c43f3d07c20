// Pocketbase serves rows from a file as a PocketBase collection, for the load
// program to compare list routes. It is a module of its own: the product needs
// nothing of it.
//
//	pocketbase ROWS.json DIRECTORY
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // makes its own tables
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pocketbase ROWS.json DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

// rows is what Tianti's list of cards holds.
type rows []struct {
	ID      string             `json:"id"`
	Name    string             `json:"name"`
	Vendor  string             `json:"vendor"`
	Kind    string             `json:"kind"`
	Segment string             `json:"segment"`
	Figures map[string]float64 `json:"figures"`
}

func run(file, dir string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var cards rows
	if err := json.Unmarshal(raw, &cards); err != nil {
		return err
	}
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: dir})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := fill(app, cards); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") // only to learn of a free port
	if err != nil {
		return err
	}
	addr := l.Addr().String()
	if err := l.Close(); err != nil {
		return err
	}
	fmt.Printf("http://%s\n", addr)
	err = apis.Serve(app, apis.ServeConfig{HttpAddr: addr})
	if err == http.ErrServerClosed {
		return nil
	}
	return err
}

// fill makes the collection, public, with an index on every column that is
// filtered or sorted by.
func fill(app core.App, cards rows) error {
	c := core.NewBaseCollection("cards")
	everybody := ""
	c.ListRule = &everybody
	for _, name := range []string{"card", "name", "vendor", "kind", "segment"} {
		c.Fields.Add(&core.TextField{Name: name})
	}
	figures := map[string]bool{}
	for _, card := range cards {
		for id := range card.Figures {
			figures[id] = true
		}
	}
	for id := range figures {
		c.Fields.Add(&core.NumberField{Name: id})
		c.AddIndex("cards_"+id, false, "`"+id+"`", "")
	}
	if err := app.Save(c); err != nil {
		return err
	}
	return app.RunInTransaction(func(tx core.App) error {
		for _, card := range cards {
			r := core.NewRecord(c)
			r.Set("card", card.ID)
			r.Set("name", card.Name)
			r.Set("vendor", card.Vendor)
			r.Set("kind", card.Kind)
			r.Set("segment", card.Segment)
			for id, v := range card.Figures {
				r.Set(id, v)
			}
			if err := tx.SaveNoValidate(r); err != nil {
				return err
			}
		}
		return nil
	})
}
