terraform {
  required_version = ">= 1.6"

  required_providers {
    google = {
      source  = "hashicorp/google"
      version = ">= 5.30, < 8"
    }
  }
}

provider "google" {
  project = var.project
  region  = var.region
}
