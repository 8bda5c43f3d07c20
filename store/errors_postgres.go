package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// statesOf maps codes of PostgreSQL to what they mean for a person.
var statesOf = map[string]error{
	"55P03": ErrLocked,       // lock_not_available
	"40001": ErrConflict,     // serialization_failure
	"40P01": ErrConflict,     // deadlock_detected
	"57014": ErrTimeout,      // query_canceled
	"25P03": ErrTimeout,      // idle_in_transaction_session_timeout
	"57P01": ErrAway,         // admin_shutdown
	"57P02": ErrAway,         // crash_shutdown
	"57P03": ErrAway,         // cannot_connect_now
	"53100": ErrDiskFull,     // disk_full
	"53300": ErrNoConnection, // too_many_connections
	"28000": ErrRefused,      // invalid_authorization_specification
	"28P01": ErrRefused,      // invalid_password
	"3D000": ErrNoDatabase,   // invalid_catalog_name
	"3F000": ErrNoSchema,     // invalid_schema_name
	"42501": ErrNotAllowed,   // insufficient_privilege
	"25006": ErrStandby,      // read_only_sql_transaction
	"XX001": ErrCorrupt,      // data_corrupted
	"XX002": ErrCorrupt,      // index_corrupted
}

// sqlState is the code that PostgreSQL gave an error; empty for another one.
func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// postgresKind is what an error of PostgreSQL, or on the way to it, means for a person, with what it says itself where
// that helps; nil for another one.
func postgresKind(err error) (detail string, kind error) {
	if err == nil {
		return "", nil
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		kind, detail = statesOf[e.Code], e.Message
		if kind == nil && strings.HasPrefix(e.Code, "08") { // connection_exception
			kind = ErrAway
		}
		switch kind {
		case ErrAway, ErrRefused, ErrNotAllowed:
			return detail, kind
		}
		return "", kind
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !isConnecting(err) {
		return "", nil
	}
	_, network := errors.AsType[net.Error](err)
	if network || isConnecting(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, pgconn.ErrConnClosed) {
		return innermost(err), ErrAway
	}
	return "", nil
}

func isConnecting(err error) bool {
	_, ok := errors.AsType[*pgconn.ConnectError](err)
	return ok
}

// innermost is the text of what an error wraps: of the first where there are several, as for several hosts.
func innermost(err error) string {
	for {
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			if e.Unwrap() == nil {
				return err.Error()
			}
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			if len(e.Unwrap()) == 0 {
				return err.Error()
			}
			err = e.Unwrap()[0]
		default:
			return err.Error()
		}
	}
}
