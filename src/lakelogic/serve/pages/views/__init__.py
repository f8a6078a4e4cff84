"""What each page shows, as data that its template only lays out."""
