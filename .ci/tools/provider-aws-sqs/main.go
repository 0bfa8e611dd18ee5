// Command sqs runs those controllers of provider-aws that SQS needs, as cmd/provider there does with the
// controllers of all services, which take an hour to build.
package main

import (
	"errors"
	"flag"
	"log"
	"time"

	"github.com/crossplane-contrib/provider-aws/apis/sqs/v1beta1"
	config "github.com/crossplane-contrib/provider-aws/apis/v1beta1"
	configcontroller "github.com/crossplane-contrib/provider-aws/pkg/controller/config"
	"github.com/crossplane-contrib/provider-aws/pkg/controller/sqs"
	"github.com/crossplane/crossplane-runtime/pkg/controller"
	"github.com/crossplane/crossplane-runtime/pkg/feature"
	"github.com/crossplane/crossplane-runtime/pkg/logging"
	"github.com/crossplane/crossplane-runtime/pkg/ratelimiter"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

// rate is the default of cmd/provider: how many resources are looked at in a second, and at once.
const rate = 10

func main() {
	poll := flag.Duration("poll", time.Minute, "how often a resource is looked at")
	flag.Parse()

	if err := run(*poll); err != nil {
		log.Fatal(err)
	}
}

func run(poll time.Duration) error {
	ctrl.SetLogger(zap.New())

	c, err := ctrl.GetConfig()
	if err != nil {
		return err
	}

	m, err := ctrl.NewManager(c, ctrl.Options{})
	if err != nil {
		return err
	}

	o := controller.Options{
		Logger:                  logging.NewLogrLogger(ctrl.Log),
		MaxConcurrentReconciles: rate,
		PollInterval:            poll,
		GlobalRateLimiter:       ratelimiter.NewGlobal(rate),
		Features:                &feature.Flags{},
	}

	if err := errors.Join(
		config.SchemeBuilder.AddToScheme(m.GetScheme()),
		v1beta1.SchemeBuilder.AddToScheme(m.GetScheme()),
		configcontroller.Setup(m, o),
		sqs.Setup(m, o),
	); err != nil {
		return err
	}

	return m.Start(ctrl.SetupSignalHandler())
}
