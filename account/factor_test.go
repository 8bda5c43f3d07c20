package account_test

import (
	"encoding/base32"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pquerna/otp/totp"

	"tianti/account"
)

// codeAt is what an app shows at a moment.
func codeAt(t *testing.T, secret []byte, at time.Time) string {
	t.Helper()
	code, err := totp.GenerateCode(account.FactorText(secret), at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestCodesAreThoseOfTheRFC(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newKeeper(t)
		a := create(t, k, "anna", account.Administrator)
		secret := []byte("12345678901234567890") // RFC 6238, appendix B, of which apps show the last six digits
		if text := account.FactorText(secret); text != base32.StdEncoding.EncodeToString(secret) {
			t.Errorf("got %s", text)
		}
		time.Sleep(time.Until(time.Unix(2_000_000_000, 0)))
		if _, err := k.SetFactor(t.Context(), a, secret, "279 037"); err != nil {
			t.Error(err)
		}
	})
}

func TestACodeCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, db := newKeeper(t)
		a := create(t, k, "anna", account.Administrator)
		secret := account.NewFactorSecret()
		check := func(what, code string, want error) {
			t.Helper()
			if err := k.CheckCode(t.Context(), a, code); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", what, err, want)
			}
		}
		check("no factor", "123456", account.ErrCode)
		first := codeAt(t, secret, time.Now())
		codes, err := k.SetFactor(t.Context(), a, secret, first)
		if err != nil || len(codes) != 10 {
			t.Fatalf("got %d codes, %v", len(codes), err)
		}
		check("the code that set it up", first, account.ErrCode)
		time.Sleep(30 * time.Second)
		now := codeAt(t, secret, time.Now())
		check("the next", now, nil)
		check("the next again", now, account.ErrCode)
		time.Sleep(time.Minute)
		check("of the step before", codeAt(t, secret, time.Now().Add(-30*time.Second)), nil)
		check("of the step after", codeAt(t, secret, time.Now().Add(30*time.Second)), nil)
		check("of the step that lies before a taken one", codeAt(t, secret, time.Now()), account.ErrCode)
		time.Sleep(10 * time.Minute)
		check("two steps old", codeAt(t, secret, time.Now().Add(-time.Minute)), account.ErrCode)
		// Another process, and one that was started again, know what was taken.
		again := account.NewAuthenticator(db, account.NewHasherAt(64, 1), nil)
		good := codeAt(t, secret, time.Now())
		if err := again.CheckCode(t.Context(), a, good); err != nil {
			t.Error(err)
		}
		check("taken by another process", good, account.ErrCode)
		check("recovery code", strings.ToUpper(codes[3]), nil)
		check("recovery code again", codes[3], account.ErrCode)
		if f, err := db.Factor(t.Context(), a.Key); err != nil || f.Left != 9 {
			t.Errorf("got %d codes left, %v, want 9", f.Left, err)
		}
		fresh, err := k.NewRecoveryCodes(t.Context(), a)
		if err != nil || slices.Contains(fresh, codes[4]) {
			t.Fatal(err)
		}
		check("replaced recovery code", codes[4], account.ErrCode)
		check("new recovery code", fresh[0], nil)
	})
}

func TestGuessingCodesIsHopeless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newKeeper(t)
		a := create(t, k, "anna", account.Administrator)
		secret := account.NewFactorSecret()
		if _, err := k.SetFactor(t.Context(), a, secret, codeAt(t, secret, time.Now())); err != nil {
			t.Fatal(err)
		}
		begun, guesses := time.Now(), 0
		for time.Since(begun) < 24*time.Hour {
			err := k.CheckCode(t.Context(), a, "000000")
			if wait, ok := errors.AsType[*account.WaitError](err); ok {
				time.Sleep(wait.After)
				continue
			}
			guesses++
		}
		if guesses > 110 {
			t.Errorf("got %d guesses in a day, want about a hundred", guesses)
		}
	})
}

func TestAReadOnlyServerTakesCodesOnceToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, _ := newKeeper(t)
		a := create(t, k, "anna", account.Administrator)
		secret := account.NewFactorSecret()
		codes, err := k.SetFactor(t.Context(), a, secret, codeAt(t, secret, time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		k.ReadOnly = true
		time.Sleep(time.Minute)
		code := codeAt(t, secret, time.Now())
		if err := k.CheckCode(t.Context(), a, code); err != nil {
			t.Error(err)
		}
		for _, c := range []string{code, codes[0]} { // a recovery code could not be crossed out
			if err := k.CheckCode(t.Context(), a, c); !errors.Is(err, account.ErrCode) {
				t.Errorf("%s: got %v, want ErrCode", c, err)
			}
		}
	})
}

func TestTheAddressForAppsNamesAccountAndServer(t *testing.T) {
	secret := account.NewFactorSecret()
	got, err := account.FactorURL("Tianti cards.example", "张伟", secret)
	u, parseErr := url.Parse(got)
	if err != nil || parseErr != nil {
		t.Fatal(err, parseErr)
	}
	q := u.Query()
	if u.Scheme != "otpauth" || u.Host != "totp" || u.Path != "/Tianti cards.example:张伟" ||
		q.Get("secret") != account.FactorText(secret) ||
		q.Get("issuer") != "Tianti cards.example" || q.Get("digits") != "6" || q.Get("period") != "30" {
		t.Errorf("got %s", got)
	}
}

func TestAKnownDeviceDoesNotWaitForStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, db := newKeeper(t)
		a, bob := create(t, k, "anna", account.Administrator), create(t, k, "bob", account.Reader)
		device, err := k.Remember(t.Context(), a, "")
		if err != nil {
			t.Fatal(err)
		}
		guess := func() {
			for range 60 {
				_, _ = k.SignIn(t.Context(), "anna", "a guess", account.Client{Address: time.Now().String()})
				time.Sleep(time.Second)
			}
		}
		guess()
		signIn := func(name, password, device string) error {
			_, err := k.SignIn(t.Context(), name, password, account.Client{Address: "home", Device: device})
			return err
		}
		waits := func(err error) bool { _, ok := errors.AsType[*account.WaitError](err); return ok }
		if err := signIn("anna", horse, ""); !waits(err) {
			t.Errorf("an unknown device: got %v, want to wait", err)
		}
		bobs, err := k.Remember(t.Context(), bob, "made up")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{bobs, strings.Repeat("a", len(device)), "short"} {
			if err := signIn("anna", horse, other); !waits(err) {
				t.Errorf("%s: got %v, want to wait: it is no device of Anna's", other, err)
			}
		}
		if err := signIn("anna", horse, device); err != nil {
			t.Errorf("a known device: %v", err)
		}
		if same, err := k.Remember(t.Context(), a, device); err != nil || same != device {
			t.Errorf("got another secret for a device that is known, %v", err)
		}
		// It is no way to guess without end.
		guesses := 0
		for range 60 {
			if errors.Is(signIn("anna", "a guess", device), account.ErrWrong) {
				guesses++
			}
		}
		if guesses != 10 {
			t.Errorf("got %d guesses from a known device, want 10", guesses)
		}
		time.Sleep(account.DeviceTime)
		guess()
		if err := signIn("anna", horse, device); !waits(err) {
			t.Errorf("after half a year: got %v, want to wait", err)
		}
		time.Sleep(time.Minute)
		device, err = k.Remember(t.Context(), a, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := db.EndSessions(t.Context(), a.Key); err != nil {
			t.Fatal(err)
		}
		if known, err := k.Knows(t.Context(), a, device); known || err != nil {
			t.Errorf("signed out everywhere: got %v, %v, want the device forgotten", known, err)
		}
	})
}
