resource "google_project_service" "needed" {
  for_each = toset(["run.googleapis.com", "secretmanager.googleapis.com"])

  service            = each.value
  disable_on_destroy = false
}

# An account of its own, which may read one secret and nothing else.
resource "google_service_account" "lab" {
  account_id   = var.name
  display_name = "Orders lab"
}

resource "google_secret_manager_secret_iam_member" "token" {
  secret_id = var.token_secret
  role      = "roles/secretmanager.secretAccessor"
  member    = "serviceAccount:${google_service_account.lab.email}"
}

resource "google_cloud_run_v2_service" "lab" {
  name     = var.name
  location = var.region
  ingress  = "INGRESS_TRAFFIC_ALL"

  template {
    service_account = google_service_account.lab.email
    timeout         = "60s"

    scaling {
      min_instance_count = 0
      max_instance_count = var.max_instances
    }

    containers {
      image = var.image

      ports {
        container_port = 8096
      }

      # The API reads Delta without a JVM.
      resources {
        limits = {
          cpu    = "1"
          memory = "1Gi"
        }
      }

      env {
        name = "LAKELOGIC_SERVE_TOKEN"

        value_source {
          secret_key_ref {
            secret  = var.token_secret
            version = "latest"
          }
        }
      }

      startup_probe {
        period_seconds    = 3
        failure_threshold = 10

        http_get {
          path = "/health"
        }
      }

      liveness_probe {
        period_seconds = 30

        http_get {
          path = "/health"
        }
      }
    }
  }

  depends_on = [google_project_service.needed, google_secret_manager_secret_iam_member.token]
}

resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = toset(var.invokers)

  name     = google_cloud_run_v2_service.lab.name
  location = google_cloud_run_v2_service.lab.location
  role     = "roles/run.invoker"
  member   = each.value
}
