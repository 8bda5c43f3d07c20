package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tianti/audit"
	"tianti/webhook"
)

func addWebhook(t testing.TB, s *Store, events ...webhook.Event) webhook.Endpoint {
	t.Helper()
	e, err := s.AddWebhook(audit.WithActor(context.Background(), ann), webhook.Endpoint{
		URL: "https://ops.example/secret-path?key=secret-query", Note: "a note", Events: events,
		Secret: webhook.NewSecret()})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestWebhooksAreKeptAndChanged(t *testing.T) {
	s := newStore(t)
	importTest(t, s, sample())
	ctx := audit.WithActor(context.Background(), ann)
	made := addWebhook(t, s, webhook.PricesChanged, webhook.ImportApplied)
	list, err := s.Webhooks(ctx)
	if err != nil || len(list) != 1 {
		t.Fatalf("got %v, %v", list, err)
	}
	if diff := cmp.Diff(made, list[0]); diff != "" {
		t.Errorf("-made +listed: %s", diff)
	}
	if made.By != ann.Name || made.Seen == 0 || !made.Created.Equal(clock) || made.Disabled != "" {
		t.Errorf("got %+v", made)
	}
	second := webhook.NewSecret()
	err = errors.Join(s.RotateWebhook(ctx, made.Key, second, clock.Add(time.Hour)),
		s.AddDelivery(ctx, webhook.NewTest(made.Key, clock)),
		s.SetWebhook(ctx, made.Key, []webhook.Event{webhook.FiguresChanged}, webhook.Off))
	got, findErr := s.Webhook(ctx, made.Key)
	if err != nil || findErr != nil || !slices.Equal(got.Secret, second) || !slices.Equal(got.Old, made.Secret) ||
		!got.OldUntil.Equal(clock.Add(time.Hour)) || got.Disabled != webhook.Off ||
		!slices.Equal(got.Events, []webhook.Event{webhook.FiguresChanged}) {
		t.Errorf("got %+v, %v, %v", got, err, findErr)
	}
	if sent, err := s.Deliveries(ctx, made.Key, 9); err != nil || len(sent) != 1 || sent[0].State != webhook.GivenUp {
		t.Errorf("got %+v, %v; want the message given up with the endpoint", sent, err)
	}
	if err := s.RemoveWebhook(ctx, made.Key); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"RemoveWebhook": s.RemoveWebhook(ctx, made.Key), "RotateWebhook": s.RotateWebhook(ctx, made.Key, second, clock),
		"AddDelivery": s.AddDelivery(ctx, webhook.NewTest(made.Key, clock)),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v, want fs.ErrNotExist", name, err)
		}
	}
	var actions []string
	entries, _, err := s.Entries(ctx, audit.Query{Action: "webhook", N: 9})
	for _, e := range entries {
		actions = append(actions, e.Action)
		text := fmt.Sprint(e)
		if e.Actor != ann || strings.Contains(text, "secret") || strings.Contains(text, webhook.Text(second)) {
			t.Errorf("got %s", text)
		}
	}
	want := []string{"webhook.remove", "webhook.change", "webhook.test", "webhook.rotate", "webhook.create"}
	if !slices.Equal(actions, want) || err != nil {
		t.Errorf("got %q, %v, want %q", actions, err, want)
	}
}

func TestThereAreOnlySoManyWebhooks(t *testing.T) {
	parallel(t)
	s := newStore(t)
	for range webhook.MostEndpoints {
		addWebhook(t, s, webhook.PricesChanged)
	}
	_, err := s.AddWebhook(t.Context(), webhook.Endpoint{URL: "https://x.example", Events: webhook.Events,
		Secret: webhook.NewSecret()})
	if !errors.Is(err, webhook.ErrTooMany) {
		t.Errorf("got %v, want ErrTooMany", err)
	}
}

func TestStepsSayWhatTheyChange(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	first := importTest(t, s, sample())
	importTest(t, s, history(20))
	added(t, s, observations(20, 5)) // brings prices alone
	list, seen, err := s.Steps(ctx, 0, 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("got %+v, %v", list, err)
	}
	type is struct {
		From             bool
		Import           bool
		Figures, Prices  bool
		Cards, Different int
	}
	var got []is
	for _, l := range list {
		got = append(got, is{l.From != 0, l.Import, l.Figures, l.Prices, l.Cards, 0})
	}
	want := []is{{false, true, true, len(sample().Prices) > 0, 2, 0}, {false, true, true, true, list[1].Cards, 0},
		{true, true, false, true, list[1].Cards, 0}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got: %s", diff)
	}
	if err := s.Activate(ctx, "builtin", 0, ann); err != nil {
		t.Fatal(err)
	}
	next, last, err := s.Steps(ctx, seen, 10)
	if err != nil || len(next) != 1 || next[0].From != first.Number || next[0].To != 0 || next[0].Import ||
		!next[0].Figures || last <= seen {
		t.Errorf("got %+v up to %d, %v", next, last, err)
	}
	if rest, end, err := s.Steps(ctx, last, 10); err != nil || len(rest) != 0 || end != last {
		t.Errorf("got %+v up to %d, %v; want nothing", rest, end, err)
	}
	if some, end, err := s.Steps(ctx, 0, 2); err != nil || len(some) != 2 || end != list[1].Number {
		t.Errorf("got %+v up to %d, %v; want two", some, end, err)
	}
}

// TestAMessageIsOneServersAtATime: of servers that lease at once one gets a message; when it dies another gets it after
// the lease, and what the first says afterwards counts no more.
func TestAMessageIsOneServersAtATime(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	e, other := addWebhook(t, s, webhook.PricesChanged), addWebhook(t, s, webhook.PricesChanged)
	for _, key := range []int64{e.Key, e.Key, other.Key} {
		if err := s.AddDelivery(ctx, webhook.NewTest(key, clock)); err != nil {
			t.Fatal(err)
		}
	}
	again := openTest(t, addressOf(s))
	var mu sync.Mutex
	var leased []webhook.Leased
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			got, err := []*Store{s, again}[i%2].Lease(ctx, clock, clock.Add(time.Minute), 4)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			leased = append(leased, got...)
		})
	}
	all.Wait()
	if len(leased) != 2 || leased[0].Endpoint == leased[1].Endpoint || leased[0].Attempts != 1 {
		t.Fatalf("got %d leases, want one of each endpoint: %+v", len(leased), leased)
	}
	at, any, err := s.Due(ctx)
	if err != nil || !any || at.After(clock) { // the second message of the first endpoint waits for the first
		t.Errorf("got %v, %v, %v", at, any, err)
	}
	slow := leased[0]
	later := clock.Add(2 * time.Minute)
	second, err := again.Lease(ctx, later, later.Add(time.Minute), 4)
	if err != nil || len(second) != 2 {
		t.Fatalf("got %+v, %v, want both again", second, err)
	}
	finish := func(m webhook.Leased, state webhook.State) {
		t.Helper()
		m.State, m.Last = state, webhook.Attempt{At: later, Status: 200, Took: 5 * time.Millisecond}
		m.To.Taken = later
		if err := s.Finish(ctx, &m.Delivery, &m.To); err != nil {
			t.Error(err)
		}
	}
	finish(slow, webhook.GivenUp)
	for _, m := range second {
		finish(m, webhook.Delivered)
	}
	list, err := s.Deliveries(ctx, slow.Endpoint, 10)
	if err != nil || list[len(list)-1].State != webhook.Delivered || list[len(list)-1].Attempts != 2 {
		t.Errorf("got %+v, %v, want delivered at the second attempt", list, err)
	}
}

func TestMessagesAreBounded(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	e := addWebhook(t, s, webhook.PricesChanged)
	var list []webhook.Delivery
	for range webhook.MostPending + 7 {
		list = append(list, webhook.NewTest(e.Key, clock))
	}
	if err := s.Spread(ctx, &e, e.Seen+1, list); err != nil {
		t.Fatal(err)
	}
	if err := s.Spread(ctx, &e, e.Seen+1, list); err != nil { // somebody has been quicker: ids would be there twice
		t.Errorf("the second: %v, want nothing", err)
	}
	got, err := s.Deliveries(ctx, e.Key, 1<<20)
	pending := 0
	for _, d := range got {
		if d.State == webhook.Pending {
			pending++
		}
	}
	if err != nil || len(got) != webhook.MostPending+7 || pending != webhook.MostPending ||
		got[len(got)-1].Last.Why != webhook.Replaced {
		t.Fatalf("got %d messages, %d pending, %v", len(got), pending, err)
	}
	leased, err := s.Lease(ctx, clock, clock.Add(time.Minute), 1)
	if err != nil || len(leased) != 1 {
		t.Fatal(leased, err)
	}
	m := leased[0]
	m.State, m.Last, m.To.Disabled, m.To.Failures = webhook.GivenUp, webhook.Attempt{At: clock, Why: webhook.TooLate},
		webhook.Gone, 3
	if err := s.Finish(ctx, &m.Delivery, &m.To); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Deliveries(ctx, e.Key, 1<<20); err != nil || len(got) != webhook.MostDone {
		t.Errorf("got %d messages, %v, want the newest %d", len(got), err, webhook.MostDone)
	}
	if now, err := s.Webhook(ctx, e.Key); err != nil || now.Disabled != webhook.Gone || now.Failures != 3 {
		t.Errorf("got %+v, %v", now, err)
	}
}
