package main

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger returns a logger for operators: words on a terminal, JSON elsewhere.
func newLogger(w io.Writer, level string) (*zap.Logger, error) {
	parsed, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, notOneOf(level, []string{"debug", "info", "warn", "error"})
	}
	format := zap.NewProductionEncoderConfig()
	format.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(format)
	if isTerminal(w) {
		encoder = zapcore.NewConsoleEncoder(format)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), parsed)), nil
}
