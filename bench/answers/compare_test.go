package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/bench/answers/list"
)

// got is an answer with a body and headers, name and value in turn.
func got(status int, body string, header ...string) answer {
	a := answer{Status: status, Header: http.Header{}, Body: []byte(body)}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header.Add(header[i], header[i+1])
	}
	return a
}

func TestWhatDiffersIsTold(t *testing.T) {
	long := strings.Repeat("a", 200)
	for name, c := range map[string]struct {
		path          string
		before, after answer
		rules         rules
		want          []string // beginnings of what is told
	}{
		"nothing": {"/cards", got(200, "x", "Date", "1"), got(200, "x", "Date", "2"), rules{}, nil},
		"a status": {
			"/cards", got(200, "x"), got(404, "x"),
			rules{}, []string{"status: before 200, after 404"},
		},
		"a header": {
			"/cards", got(200, "x", "Vary", "A"), got(200, "x", "Vary", "B"),
			rules{}, []string{`header Vary: before "A", after "B"`},
		},
		"a header that is gone": {
			"/cards", got(200, "x", "Vary", "A"), got(200, "x"),
			rules{}, []string{`header Vary: before "A", after ""`},
		},
		"a value of a header more": {
			"/cards", got(200, "", "Link", "a"), got(200, "", "Link", "a", "Link", "b"),
			rules{}, []string{"header Link"},
		},
		"a body, of which its hash is": {
			"/cards", got(200, "x", "Etag", "1"), got(200, "y", "Etag", "2"),
			rules{etags: true}, []string{"body: 1 and 1 bytes, from byte 0"},
		},
		"a hash of the same body": {
			"/cards", got(200, "x", "Etag", "1"), got(200, "x", "Etag", "2"),
			rules{etags: true}, []string{"header Etag"},
		},
		"a hash that is not compared": {
			"/cards", got(200, "x", "Etag", "1"), got(200, "x", "Etag", "2"),
			rules{}, nil,
		},
		"a place in a long text": {
			"/cards", got(200, long+"b"+long), got(200, long+"c"+long),
			rules{}, []string{
				"body: 401 and 401 bytes, from byte 200\n    before …\"" + long[:80] + "b" + long[:79] + "\"\n",
			},
		},
		"an end that is missing": {
			"/cards", got(200, "ab"), got(200, "a"),
			rules{}, []string{"body: 2 and 1 bytes, from byte 1"},
		},
		"a time of the administration": {
			"/zh/admin/log", got(200, "at 2026-11-23 07:34"), got(200, "at 2026-11-23 07:35"),
			rules{}, nil,
		},
		"a time elsewhere": {
			"/cards", got(200, "at 2026-11-23 07:34"), got(200, "at 2026-11-23 07:35"),
			rules{}, []string{"body"},
		},
		"a day of the administration": {
			"/admin/log", got(200, "2026-11-23"), got(200, "2026-11-24"),
			rules{}, []string{"body"},
		},
		"the secret of a webhook": {
			"/zh/admin/webhooks", got(200, "<code>whsec_ab&#43;/c=</code>"), got(200, "<code>whsec_xyz</code>"),
			rules{}, nil,
		},
		"the name of a message": {
			"/api/v1/webhooks/3/test", got(202, `{"id":"msg_PF2B6YRAL3QQZWYJG5CZNTMNFM"}`),
			got(202, `{"id":"msg_VY7JTJLSSKUYDNDRPPEOAEXS6Q"}`), rules{}, nil,
		},
		"what else is said of a webhook": {
			"/api/v1/webhooks", got(201, `{"secret":"whsec_abc=","enabled":true}`),
			got(201, `{"secret":"whsec_xy+z","enabled":false}`),
			rules{}, []string{"body"},
		},
		"how long a reading took": {
			"/api/v1/imports/2", got(200, `{"seconds":0.01,"a":1}`), got(200, `{"seconds":2e-3,"a":1}`),
			rules{}, nil,
		},
		"the length of a line of readings": {
			"/live", got(200, `d="M59 6.3H60"`), got(200, `d="M58 6.3L59 6.3H60"`),
			rules{}, nil,
		},
		"the height of a line of readings": {
			"/live", got(200, `d="M59 6.3H60"`), got(200, `d="M58 6.3L59 7.3H60"`),
			rules{}, []string{"body"},
		},
		"how old readings are": {
			"/zh/live", got(200, "<time data-live-time>read 0 seconds ago</time>"),
			got(200, "<time data-live-time>read 1 second ago</time>"), rules{}, nil,
		},
		"a number of metrics": {
			"/metrics", got(200, "a{b=\"c\"} 1\n"), got(200, "a{b=\"c\"} 2.5e-05\n"),
			rules{}, nil,
		},
		"a label of metrics": {
			"/metrics", got(200, "a{b=\"c\"} 1\n"), got(200, "a{b=\"d\"} 1\n"),
			rules{}, []string{"body"},
		},
		"a secret cookie": {
			"/admin/sign-in", got(303, "", "Set-Cookie", "tianti=abc; Path=/; Expires=Mon"),
			got(303, "", "Set-Cookie", "tianti=xyz; Path=/; Expires=Tue"),
			rules{}, nil,
		},
		"what a cookie is good for": {
			"/admin/sign-in", got(303, "", "Set-Cookie", "tianti=abc; Path=/; HttpOnly"),
			got(303, "", "Set-Cookie", "tianti=xyz; Path=/"),
			rules{}, []string{"header Set-Cookie"},
		},
		"a name of a file for browsers": {
			"/cards", got(200, "/static/app.0123456789ab.js"), got(200, "/static/app.ba9876543210.js"),
			rules{}, []string{"body"},
		},
		"such a name that may differ": {
			"/cards", got(200, "/static/app.0123456789ab.js"), got(200, "/static/app.ba9876543210.js"),
			rules{static: true}, nil,
		},
		"such a file that may differ": {
			"{static:app.js}", got(200, "a", "Etag", "1"), got(200, "b", "Etag", "2"),
			rules{static: true, etags: true}, nil,
		},
		"its type, which may not": {
			"{static:app.js}", got(200, "a", "Content-Type", "a"), got(200, "b", "Content-Type", "b"),
			rules{static: true}, []string{"header Content-Type"},
		},
		"seconds that a client has to wait": {
			"/cards", got(429, "", "Retry-After", "29"), got(429, "", "Retry-After", "30"),
			rules{}, nil,
		},
		"whether a client has to wait": {
			"/cards", got(429, "", "Retry-After", "29"), got(429, ""),
			rules{}, []string{"header Retry-After"},
		},
	} {
		says := c.rules.compare(list.Request{Path: c.path}, c.before, c.after)
		for i := range says {
			if i < len(c.want) && strings.HasPrefix(says[i], c.want[i]) {
				says[i] = c.want[i]
			}
		}
		if diff := cmp.Diff(c.want, says); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestExcerptsKeepCharactersWhole(t *testing.T) {
	text := []byte(strings.Repeat("卡", 100))
	for at := range 6 {
		if e := excerpt(text, 150+at); strings.Contains(e, `\x`) || len(e) < 2*around {
			t.Errorf("at %d: got %s", 150+at, e)
		}
	}
	const want = "body: 5 and 5 bytes, from byte 4"
	if e := firstDifference([]byte("\x89PNG1"), []byte("\x89PNG2"), "image/png"); e != want {
		t.Errorf("of a picture: got %s, want %s", e, want)
	}
}

func TestCompressionIsFreeWhereARequestTakesSeveralForms(t *testing.T) {
	br, none := got(200, "x", "Content-Encoding", "br"), got(200, "x")
	zstd := got(200, "x", "Content-Encoding", "zstd")
	several := list.Request{Path: "/cards", Header: []list.Header{{Name: "Accept-Encoding", Value: "br, zstd"}}}
	if says := (rules{}).compare(several, br, zstd); says != nil {
		t.Errorf("br and zstd: got %q", says)
	}
	if says := (rules{}).compare(several, br, none); len(says) != 1 {
		t.Errorf("br and none: got %q, want a difference", says)
	}
	if says := (rules{}).compare(list.Request{Path: "/cards"}, br, zstd); len(says) != 1 {
		t.Errorf("br and zstd that nobody asked for: got %q, want a difference", says)
	}
}
