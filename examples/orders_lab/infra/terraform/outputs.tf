output "url" {
  description = "Where the service answers."
  value       = google_cloud_run_v2_service.lab.uri
}
