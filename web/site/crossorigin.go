package site

import "net/http"

// CrossOrigin refuses requests that change something and come from pages of other
// sites, by what browsers say of them. A proxy may call us by another name than
// users do: the server's own origin is no other site.
func CrossOrigin(origin string) *http.CrossOriginProtection {
	p := http.NewCrossOriginProtection()
	if origin != "" {
		if err := p.AddTrustedOrigin(origin); err != nil {
			panic("web: origin " + origin + ": " + err.Error()) // whoever gave it has checked it
		}
	}
	return p
}
