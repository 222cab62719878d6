// Every item, one row X(name) for `const ChItem ch_item_name`, in the order in which the report shows them. Included
// several times, with X defined anew.

// 000: successive convex relaxation (Anitescu and Hart)
X(000_fig1)
X(000_fig2)
X(000_fig3)
X(000_fig4)
X(000_table1)

// 001: cone complementarity (Negrut and Serban)

// 002: time stepping (Anitescu's slides)
X(002_lcp_table)
X(002_dropped_particle)
X(002_painleve)
X(002_sliding_particle)
X(002_refinement)
X(002_ellipse)
X(002_infeasibility)
X(002_programmes)
X(002_segregation)
X(002_pebble_bed)
X(002_correlation)

// 003: complementarity as bound-constrained minimisation (Andreani and others)
X(003_mcplib)
X(003_grasps)

// 004, chapters 2 and 3: Painleve
X(004_painleve_rod)

// 004, chapter 4: integrators
X(004_fig41)
X(004_fig42)

// 004, chapters 5 and 6: staggered projections
X(004_geometry)
X(004_house_lemke)
X(004_house_pgs)
X(004_house_sqp)
X(004_house_staggered)
X(004_card_blocks)
X(004_domain_angles)
X(004_domain_63)
X(004_domain_64)
X(004_domain_65)
X(004_domain_66)
X(004_domain_67)
X(004_domain_68)
X(004_card_curves)
X(004_comparison)

// 004, chapter 7: validation
X(004_engines)
X(004_baselines)
X(004_chairs)
X(004_arch_blocks)
X(004_dinosaurs)
X(004_bunnies_arches)
X(004_long_runs)
X(004_long_soft)
X(004_tolerances)
X(004_warm_starts)
X(004_performance)
X(004_logs)
X(004_bunnies)
X(004_composites)
X(004_thrown)
X(004_jamming)
X(004_haptic)

// laws of granular matter
X(granular_hertz)
X(granular_repose)
X(granular_rolling)
X(granular_janssen)
X(granular_collapse)
X(granular_beverloo)
