variable "project" {
  description = "The Google Cloud project."
  type        = string
}

variable "region" {
  description = "Where the service runs."
  type        = string
  default     = "europe-west3"
}

variable "name" {
  description = "The name of the service."
  type        = string
  default     = "orders-lab"
}

variable "image" {
  description = "The image that was built from the Dockerfile, with its digest or tag."
  type        = string
}

variable "token_secret" {
  description = "The id of a secret in Secret Manager that holds LAKELOGIC_SERVE_TOKEN. Its value never passes through Terraform."
  type        = string
}

variable "invokers" {
  description = "Who may call the service, such as group:data@example.com. Nobody, unless named."
  type        = list(string)
  default     = []
}

variable "max_instances" {
  description = "How many copies may run at once."
  type        = number
  default     = 2

  validation {
    condition     = var.max_instances >= 1
    error_message = "At least one instance is needed."
  }
}
